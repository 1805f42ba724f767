module mybot

go 1.18
