// This module takes the place of the MessagePack codec that gin links; see docs/adr/0039-cold-start.md.
module github.com/ugorji/go/codec

go 1.26.0
