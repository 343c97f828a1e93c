#include "textflag.h"

// The two loops of vector_amd64.s that take longest, with 16 lanes. Each lane computes the same.

// The constants of the error function.
DATA erfConstants<>+0(SB)/4, $0x3f3504f3
DATA erfConstants<>+4(SB)/4, $0x3f000000
DATA erfConstants<>+8(SB)/4, $0x3f800000
DATA erfConstants<>+12(SB)/4, $0x40800000
DATA erfConstants<>+16(SB)/4, $0xc0800000
DATA erfConstants<>+20(SB)/4, $0xaf95df0b
DATA erfConstants<>+24(SB)/4, $0x32edffee
DATA erfConstants<>+28(SB)/4, $0xb60cff51
DATA erfConstants<>+32(SB)/4, $0xb86ec2d2
DATA erfConstants<>+36(SB)/4, $0xba40ac63
DATA erfConstants<>+40(SB)/4, $0xbb41a1f6
DATA erfConstants<>+44(SB)/4, $0xbc83dbd4
DATA erfConstants<>+48(SB)/4, $0xb77460cd
DATA erfConstants<>+52(SB)/4, $0xb95fbd29
DATA erfConstants<>+56(SB)/4, $0xbadc924e
DATA erfConstants<>+60(SB)/4, $0xbbf19bf8
DATA erfConstants<>+64(SB)/4, $0xbc69b6a7
GLOBL erfConstants<>(SB), RODATA|NOPTR, $68

#define sqrtHalf erfConstants<>+0(SB)
#define half erfConstants<>+4(SB)
#define one erfConstants<>+8(SB)
#define four erfConstants<>+12(SB)
#define minusFour erfConstants<>+16(SB)
#define erfN6 erfConstants<>+20(SB)
#define erfN5 erfConstants<>+24(SB)
#define erfN4 erfConstants<>+28(SB)
#define erfN3 erfConstants<>+32(SB)
#define erfN2 erfConstants<>+36(SB)
#define erfN1 erfConstants<>+40(SB)
#define erfN0 erfConstants<>+44(SB)
#define erfD4 erfConstants<>+48(SB)
#define erfD3 erfConstants<>+52(SB)
#define erfD2 erfConstants<>+56(SB)
#define erfD1 erfConstants<>+60(SB)
#define erfD0 erfConstants<>+64(SB)

// func geluAVX512(values *float32, count int)
TEXT ·geluAVX512(SB), NOSPLIT, $0-16
	MOVQ values+0(FP), DI
	MOVQ count+8(FP), CX
	XORQ AX, AX

geluWideLoop:
	VMOVUPS (DI)(AX*4), Z0
	VMULPS.BCST sqrtHalf, Z0, Z1
	VMINPS.BCST four, Z1, Z1
	VMAXPS.BCST minusFour, Z1, Z1
	VMULPS Z1, Z1, Z2

	VMULPS.BCST erfN6, Z2, Z3
	VADDPS.BCST erfN5, Z3, Z3
	VMULPS Z2, Z3, Z3
	VADDPS.BCST erfN4, Z3, Z3
	VMULPS Z2, Z3, Z3
	VADDPS.BCST erfN3, Z3, Z3
	VMULPS Z2, Z3, Z3
	VADDPS.BCST erfN2, Z3, Z3
	VMULPS Z2, Z3, Z3
	VADDPS.BCST erfN1, Z3, Z3
	VMULPS Z2, Z3, Z3
	VADDPS.BCST erfN0, Z3, Z3

	VMULPS.BCST erfD4, Z2, Z4
	VADDPS.BCST erfD3, Z4, Z4
	VMULPS Z2, Z4, Z4
	VADDPS.BCST erfD2, Z4, Z4
	VMULPS Z2, Z4, Z4
	VADDPS.BCST erfD1, Z4, Z4
	VMULPS Z2, Z4, Z4
	VADDPS.BCST erfD0, Z4, Z4

	VMULPS Z1, Z3, Z3
	VDIVPS Z4, Z3, Z3
	VADDPS.BCST one, Z3, Z3
	VMULPS.BCST half, Z0, Z0
	VMULPS Z3, Z0, Z0
	VMOVUPS Z0, (DI)(AX*4)
	ADDQ    $16, AX
	CMPQ    AX, CX
	JLT     geluWideLoop
	VZEROUPPER
	RET

// The constants of the exponential function.
DATA expConstants<>+0(SB)/4, $0xc2ae0000
DATA expConstants<>+4(SB)/4, $0x3fb8aa3b
DATA expConstants<>+8(SB)/4, $0x4b400000
DATA expConstants<>+12(SB)/4, $0x3f318000
DATA expConstants<>+16(SB)/4, $0xb95e8083
DATA expConstants<>+20(SB)/4, $0x39506967
DATA expConstants<>+24(SB)/4, $0x3ab743ce
DATA expConstants<>+28(SB)/4, $0x3c088908
DATA expConstants<>+32(SB)/4, $0x3d2aa9c1
DATA expConstants<>+36(SB)/4, $0x3e2aaaaa
DATA expConstants<>+40(SB)/4, $0x3f000000
DATA expConstants<>+44(SB)/4, $0x3f800000
DATA expConstants<>+48(SB)/4, $0x0000007f
GLOBL expConstants<>(SB), RODATA|NOPTR, $52

#define expLow expConstants<>+0(SB)
#define expLog2E expConstants<>+4(SB)
#define expShift expConstants<>+8(SB)
#define expLn2High expConstants<>+12(SB)
#define expLn2Low expConstants<>+16(SB)
#define exp6 expConstants<>+20(SB)
#define exp5 expConstants<>+24(SB)
#define exp4 expConstants<>+28(SB)
#define exp3 expConstants<>+32(SB)
#define exp2 expConstants<>+36(SB)
#define exp1 expConstants<>+40(SB)
#define exp0 expConstants<>+44(SB)
#define expBias expConstants<>+48(SB)

// func expAVX512(outputs *float32, values *int32, count int, most int32, scale float32)
TEXT ·expAVX512(SB), NOSPLIT, $0-32
	MOVQ outputs+0(FP), DI
	MOVQ values+8(FP), SI
	MOVQ count+16(FP), CX
	MOVL most+24(FP), AX
	VMOVD AX, X14
	VPBROADCASTD X14, Z14
	VBROADCASTSS scale+28(FP), Z15
	VBROADCASTSS expShift, Z13
	XORQ AX, AX

expWideLoop:
	VMOVDQU32 (SI)(AX*4), Z0
	VPSUBD Z14, Z0, Z0
	VCVTDQ2PS Z0, Z0
	VMULPS Z15, Z0, Z0
	VMAXPS.BCST expLow, Z0, Z0

	// Z1 is shifted, Z2 is n, and Z0 becomes rest.
	VMULPS.BCST expLog2E, Z0, Z1
	VADDPS Z13, Z1, Z1
	VSUBPS Z13, Z1, Z2
	VMULPS.BCST expLn2High, Z2, Z3
	VSUBPS Z3, Z0, Z0
	VMULPS.BCST expLn2Low, Z2, Z3
	VSUBPS Z3, Z0, Z0

	VMULPS.BCST exp6, Z0, Z3
	VADDPS.BCST exp5, Z3, Z3
	VMULPS Z0, Z3, Z3
	VADDPS.BCST exp4, Z3, Z3
	VMULPS Z0, Z3, Z3
	VADDPS.BCST exp3, Z3, Z3
	VMULPS Z0, Z3, Z3
	VADDPS.BCST exp2, Z3, Z3
	VMULPS Z0, Z3, Z3
	VADDPS.BCST exp1, Z3, Z3
	VMULPS Z0, Z0, Z4
	VMULPS Z4, Z3, Z3
	VADDPS Z0, Z3, Z3
	VADDPS.BCST exp0, Z3, Z3

	VPSUBD Z13, Z1, Z1
	VPADDD.BCST expBias, Z1, Z1
	VPSLLD $23, Z1, Z1
	VMULPS Z1, Z3, Z3
	VMOVUPS Z3, (DI)(AX*4)
	ADDQ    $16, AX
	CMPQ    AX, CX
	JLT     expWideLoop
	VZEROUPPER
	RET
