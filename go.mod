module freelancer-matching

go 1.26.8
