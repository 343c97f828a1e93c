module github.com/freelancer-matching/service/clients/go

go 1.24
