module marketplace

go 1.26.8

require gopkg.in/validator.v2 v2.0.1
