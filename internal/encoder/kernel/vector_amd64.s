#include "textflag.h"

// Vectors of floating-point numbers, 8 lanes at a time. No instruction fuses a product with a sum, since the loops in
// Go round both.

// func dequantizeAVX2(
//	outputs *float32, sums, totals *int32, scales, biases *float32, count int, zero int32, rowScale float32,
// )
TEXT ·dequantizeAVX2(SB), NOSPLIT, $0-56
	MOVQ outputs+0(FP), DI
	MOVQ sums+8(FP), SI
	MOVQ totals+16(FP), R8
	MOVQ scales+24(FP), R9
	MOVQ biases+32(FP), R10
	MOVQ count+40(FP), CX
	MOVL zero+48(FP), AX
	VMOVD AX, X14
	VPBROADCASTD X14, Y14
	VBROADCASTSS rowScale+52(FP), Y15
	XORQ AX, AX

dequantizeLoop:
	VPMULLD   (R8)(AX*4), Y14, Y0
	VMOVDQU   (SI)(AX*4), Y1
	VPSUBD    Y0, Y1, Y0
	VCVTDQ2PS Y0, Y0
	VMULPS    Y15, Y0, Y0
	VMULPS    (R9)(AX*4), Y0, Y0
	VADDPS    (R10)(AX*4), Y0, Y0
	VMOVUPS   Y0, (DI)(AX*4)
	ADDQ      $8, AX
	CMPQ      AX, CX
	JLT       dequantizeLoop
	VZEROUPPER
	RET

// func rangeAVX2(values *float32, count int) (low, high float32)
TEXT ·rangeAVX2(SB), NOSPLIT, $0-24
	MOVQ   values+0(FP), SI
	MOVQ   count+8(FP), CX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	XORQ   AX, AX

rangeLoop:
	VMOVUPS (SI)(AX*4), Y2
	VMINPS  Y2, Y0, Y0
	VMAXPS  Y2, Y1, Y1
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     rangeLoop

	VEXTRACTF128 $1, Y0, X2
	VMINPS       X2, X0, X0
	VPSHUFD      $0x4e, X0, X2
	VMINPS       X2, X0, X0
	VPSHUFD      $0xb1, X0, X2
	VMINPS       X2, X0, X0
	VMOVSS       X0, low+16(FP)

	VEXTRACTF128 $1, Y1, X2
	VMAXPS       X2, X1, X1
	VPSHUFD      $0x4e, X1, X2
	VMAXPS       X2, X1, X1
	VPSHUFD      $0xb1, X1, X2
	VMAXPS       X2, X1, X1
	VMOVSS       X1, high+20(FP)
	VZEROUPPER
	RET

DATA limits<>+0(SB)/4, $0x44800000 // 1024
DATA limits<>+4(SB)/4, $0xc4800000 // -1024
DATA limits<>+8(SB)/4, $0x46fffe00 // 32767
DATA limits<>+12(SB)/4, $0xc6fffe00 // -32767
GLOBL limits<>(SB), RODATA|NOPTR, $16

// func quantizeBytesAVX2(outputs *byte, values *float32, count int, inverse float32, zero int32)
TEXT ·quantizeBytesAVX2(SB), NOSPLIT, $0-32
	MOVQ outputs+0(FP), DI
	MOVQ values+8(FP), SI
	MOVQ count+16(FP), CX
	VBROADCASTSS inverse+24(FP), Y15
	MOVL zero+28(FP), AX
	VMOVD AX, X14
	VPBROADCASTD X14, Y14
	VBROADCASTSS limits<>+0(SB), Y13
	VBROADCASTSS limits<>+4(SB), Y12
	XORQ AX, AX

	// Packing limits numbers to 16 bits with a sign, and then to 8 bits without one.
quantizeBytesLoop:
	VMULPS       (SI)(AX*4), Y15, Y0
	VMINPS       Y13, Y0, Y0
	VMAXPS       Y12, Y0, Y0
	VCVTPS2DQ    Y0, Y0
	VPADDD       Y14, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPACKSSDW    X1, X0, X0
	VPACKUSWB    X0, X0, X0
	VMOVQ        X0, (DI)(AX*1)
	ADDQ         $8, AX
	CMPQ         AX, CX
	JLT          quantizeBytesLoop
	VZEROUPPER
	RET

// func quantizeWordsAVX2(outputs *int16, values *float32, count int, inverse float32)
TEXT ·quantizeWordsAVX2(SB), NOSPLIT, $0-28
	MOVQ outputs+0(FP), DI
	MOVQ values+8(FP), SI
	MOVQ count+16(FP), CX
	VBROADCASTSS inverse+24(FP), Y15
	VBROADCASTSS limits<>+8(SB), Y13
	VBROADCASTSS limits<>+12(SB), Y12
	XORQ AX, AX

quantizeWordsLoop:
	VMULPS       (SI)(AX*4), Y15, Y0
	VMINPS       Y13, Y0, Y0
	VMAXPS       Y12, Y0, Y0
	VCVTPS2DQ    Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPACKSSDW    X1, X0, X0
	VMOVDQU      X0, (DI)(AX*2)
	ADDQ         $8, AX
	CMPQ         AX, CX
	JLT          quantizeWordsLoop
	VZEROUPPER
	RET

// func magnitudesAVX2(magnitudes, values *float32, count int)
TEXT ·magnitudesAVX2(SB), NOSPLIT, $0-24
	MOVQ     magnitudes+0(FP), DI
	MOVQ     values+8(FP), SI
	MOVQ     count+16(FP), CX
	VPCMPEQD Y15, Y15, Y15
	VPSRLD   $1, Y15, Y15 // everything but the sign
	XORQ     AX, AX

magnitudesLoop:
	VANDPS  (SI)(AX*4), Y15, Y0
	VMAXPS  (DI)(AX*4), Y0, Y0
	VMOVUPS Y0, (DI)(AX*4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     magnitudesLoop
	VZEROUPPER
	RET

// The constants of the error function, each for 8 lanes.
DATA erfTable<>+0(SB)/8, $0x3f3504f33f3504f3
DATA erfTable<>+8(SB)/8, $0x3f3504f33f3504f3
DATA erfTable<>+16(SB)/8, $0x3f3504f33f3504f3
DATA erfTable<>+24(SB)/8, $0x3f3504f33f3504f3
DATA erfTable<>+32(SB)/8, $0x3f0000003f000000
DATA erfTable<>+40(SB)/8, $0x3f0000003f000000
DATA erfTable<>+48(SB)/8, $0x3f0000003f000000
DATA erfTable<>+56(SB)/8, $0x3f0000003f000000
DATA erfTable<>+64(SB)/8, $0x3f8000003f800000
DATA erfTable<>+72(SB)/8, $0x3f8000003f800000
DATA erfTable<>+80(SB)/8, $0x3f8000003f800000
DATA erfTable<>+88(SB)/8, $0x3f8000003f800000
DATA erfTable<>+96(SB)/8, $0x4080000040800000
DATA erfTable<>+104(SB)/8, $0x4080000040800000
DATA erfTable<>+112(SB)/8, $0x4080000040800000
DATA erfTable<>+120(SB)/8, $0x4080000040800000
DATA erfTable<>+128(SB)/8, $0xc0800000c0800000
DATA erfTable<>+136(SB)/8, $0xc0800000c0800000
DATA erfTable<>+144(SB)/8, $0xc0800000c0800000
DATA erfTable<>+152(SB)/8, $0xc0800000c0800000
DATA erfTable<>+160(SB)/8, $0xaf95df0baf95df0b
DATA erfTable<>+168(SB)/8, $0xaf95df0baf95df0b
DATA erfTable<>+176(SB)/8, $0xaf95df0baf95df0b
DATA erfTable<>+184(SB)/8, $0xaf95df0baf95df0b
DATA erfTable<>+192(SB)/8, $0x32edffee32edffee
DATA erfTable<>+200(SB)/8, $0x32edffee32edffee
DATA erfTable<>+208(SB)/8, $0x32edffee32edffee
DATA erfTable<>+216(SB)/8, $0x32edffee32edffee
DATA erfTable<>+224(SB)/8, $0xb60cff51b60cff51
DATA erfTable<>+232(SB)/8, $0xb60cff51b60cff51
DATA erfTable<>+240(SB)/8, $0xb60cff51b60cff51
DATA erfTable<>+248(SB)/8, $0xb60cff51b60cff51
DATA erfTable<>+256(SB)/8, $0xb86ec2d2b86ec2d2
DATA erfTable<>+264(SB)/8, $0xb86ec2d2b86ec2d2
DATA erfTable<>+272(SB)/8, $0xb86ec2d2b86ec2d2
DATA erfTable<>+280(SB)/8, $0xb86ec2d2b86ec2d2
DATA erfTable<>+288(SB)/8, $0xba40ac63ba40ac63
DATA erfTable<>+296(SB)/8, $0xba40ac63ba40ac63
DATA erfTable<>+304(SB)/8, $0xba40ac63ba40ac63
DATA erfTable<>+312(SB)/8, $0xba40ac63ba40ac63
DATA erfTable<>+320(SB)/8, $0xbb41a1f6bb41a1f6
DATA erfTable<>+328(SB)/8, $0xbb41a1f6bb41a1f6
DATA erfTable<>+336(SB)/8, $0xbb41a1f6bb41a1f6
DATA erfTable<>+344(SB)/8, $0xbb41a1f6bb41a1f6
DATA erfTable<>+352(SB)/8, $0xbc83dbd4bc83dbd4
DATA erfTable<>+360(SB)/8, $0xbc83dbd4bc83dbd4
DATA erfTable<>+368(SB)/8, $0xbc83dbd4bc83dbd4
DATA erfTable<>+376(SB)/8, $0xbc83dbd4bc83dbd4
DATA erfTable<>+384(SB)/8, $0xb77460cdb77460cd
DATA erfTable<>+392(SB)/8, $0xb77460cdb77460cd
DATA erfTable<>+400(SB)/8, $0xb77460cdb77460cd
DATA erfTable<>+408(SB)/8, $0xb77460cdb77460cd
DATA erfTable<>+416(SB)/8, $0xb95fbd29b95fbd29
DATA erfTable<>+424(SB)/8, $0xb95fbd29b95fbd29
DATA erfTable<>+432(SB)/8, $0xb95fbd29b95fbd29
DATA erfTable<>+440(SB)/8, $0xb95fbd29b95fbd29
DATA erfTable<>+448(SB)/8, $0xbadc924ebadc924e
DATA erfTable<>+456(SB)/8, $0xbadc924ebadc924e
DATA erfTable<>+464(SB)/8, $0xbadc924ebadc924e
DATA erfTable<>+472(SB)/8, $0xbadc924ebadc924e
DATA erfTable<>+480(SB)/8, $0xbbf19bf8bbf19bf8
DATA erfTable<>+488(SB)/8, $0xbbf19bf8bbf19bf8
DATA erfTable<>+496(SB)/8, $0xbbf19bf8bbf19bf8
DATA erfTable<>+504(SB)/8, $0xbbf19bf8bbf19bf8
DATA erfTable<>+512(SB)/8, $0xbc69b6a7bc69b6a7
DATA erfTable<>+520(SB)/8, $0xbc69b6a7bc69b6a7
DATA erfTable<>+528(SB)/8, $0xbc69b6a7bc69b6a7
DATA erfTable<>+536(SB)/8, $0xbc69b6a7bc69b6a7
GLOBL erfTable<>(SB), RODATA|NOPTR, $544

#define sqrtHalf erfTable<>+0(SB)
#define half erfTable<>+32(SB)
#define one erfTable<>+64(SB)
#define four erfTable<>+96(SB)
#define minusFour erfTable<>+128(SB)
#define erfN6 erfTable<>+160(SB)
#define erfN5 erfTable<>+192(SB)
#define erfN4 erfTable<>+224(SB)
#define erfN3 erfTable<>+256(SB)
#define erfN2 erfTable<>+288(SB)
#define erfN1 erfTable<>+320(SB)
#define erfN0 erfTable<>+352(SB)
#define erfD4 erfTable<>+384(SB)
#define erfD3 erfTable<>+416(SB)
#define erfD2 erfTable<>+448(SB)
#define erfD1 erfTable<>+480(SB)
#define erfD0 erfTable<>+512(SB)

// func geluAVX2(values *float32, count int)
TEXT ·geluAVX2(SB), NOSPLIT, $0-16
	MOVQ values+0(FP), DI
	MOVQ count+8(FP), CX
	XORQ AX, AX

geluLoop:
	VMOVUPS (DI)(AX*4), Y0
	VMULPS  sqrtHalf, Y0, Y1
	VMINPS  four, Y1, Y1
	VMAXPS  minusFour, Y1, Y1
	VMULPS  Y1, Y1, Y2

	VMULPS erfN6, Y2, Y3
	VADDPS erfN5, Y3, Y3
	VMULPS Y2, Y3, Y3
	VADDPS erfN4, Y3, Y3
	VMULPS Y2, Y3, Y3
	VADDPS erfN3, Y3, Y3
	VMULPS Y2, Y3, Y3
	VADDPS erfN2, Y3, Y3
	VMULPS Y2, Y3, Y3
	VADDPS erfN1, Y3, Y3
	VMULPS Y2, Y3, Y3
	VADDPS erfN0, Y3, Y3

	VMULPS erfD4, Y2, Y4
	VADDPS erfD3, Y4, Y4
	VMULPS Y2, Y4, Y4
	VADDPS erfD2, Y4, Y4
	VMULPS Y2, Y4, Y4
	VADDPS erfD1, Y4, Y4
	VMULPS Y2, Y4, Y4
	VADDPS erfD0, Y4, Y4

	VMULPS  Y1, Y3, Y3
	VDIVPS  Y4, Y3, Y3
	VADDPS  one, Y3, Y3
	VMULPS  half, Y0, Y0
	VMULPS  Y3, Y0, Y0
	VMOVUPS Y0, (DI)(AX*4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     geluLoop
	VZEROUPPER
	RET

// func maxAVX2(values *int32, count int) int32
TEXT ·maxAVX2(SB), NOSPLIT, $0-20
	MOVQ    values+0(FP), SI
	MOVQ    count+8(FP), CX
	VMOVDQU (SI), Y0
	XORQ    AX, AX

maxLoop:
	VPMAXSD (SI)(AX*4), Y0, Y0
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     maxLoop

	VEXTRACTI128 $1, Y0, X1
	VPMAXSD      X1, X0, X0
	VPSHUFD      $0x4e, X0, X1
	VPMAXSD      X1, X0, X0
	VPSHUFD      $0xb1, X0, X1
	VPMAXSD      X1, X0, X0
	VMOVD        X0, AX
	MOVL         AX, ret+16(FP)
	VZEROUPPER
	RET

// The constants of the exponential function, each for 8 lanes.
DATA expTable<>+0(SB)/8, $0xc2ae0000c2ae0000
DATA expTable<>+8(SB)/8, $0xc2ae0000c2ae0000
DATA expTable<>+16(SB)/8, $0xc2ae0000c2ae0000
DATA expTable<>+24(SB)/8, $0xc2ae0000c2ae0000
DATA expTable<>+32(SB)/8, $0x3fb8aa3b3fb8aa3b
DATA expTable<>+40(SB)/8, $0x3fb8aa3b3fb8aa3b
DATA expTable<>+48(SB)/8, $0x3fb8aa3b3fb8aa3b
DATA expTable<>+56(SB)/8, $0x3fb8aa3b3fb8aa3b
DATA expTable<>+64(SB)/8, $0x4b4000004b400000
DATA expTable<>+72(SB)/8, $0x4b4000004b400000
DATA expTable<>+80(SB)/8, $0x4b4000004b400000
DATA expTable<>+88(SB)/8, $0x4b4000004b400000
DATA expTable<>+96(SB)/8, $0x3f3180003f318000
DATA expTable<>+104(SB)/8, $0x3f3180003f318000
DATA expTable<>+112(SB)/8, $0x3f3180003f318000
DATA expTable<>+120(SB)/8, $0x3f3180003f318000
DATA expTable<>+128(SB)/8, $0xb95e8083b95e8083
DATA expTable<>+136(SB)/8, $0xb95e8083b95e8083
DATA expTable<>+144(SB)/8, $0xb95e8083b95e8083
DATA expTable<>+152(SB)/8, $0xb95e8083b95e8083
DATA expTable<>+160(SB)/8, $0x3950696739506967
DATA expTable<>+168(SB)/8, $0x3950696739506967
DATA expTable<>+176(SB)/8, $0x3950696739506967
DATA expTable<>+184(SB)/8, $0x3950696739506967
DATA expTable<>+192(SB)/8, $0x3ab743ce3ab743ce
DATA expTable<>+200(SB)/8, $0x3ab743ce3ab743ce
DATA expTable<>+208(SB)/8, $0x3ab743ce3ab743ce
DATA expTable<>+216(SB)/8, $0x3ab743ce3ab743ce
DATA expTable<>+224(SB)/8, $0x3c0889083c088908
DATA expTable<>+232(SB)/8, $0x3c0889083c088908
DATA expTable<>+240(SB)/8, $0x3c0889083c088908
DATA expTable<>+248(SB)/8, $0x3c0889083c088908
DATA expTable<>+256(SB)/8, $0x3d2aa9c13d2aa9c1
DATA expTable<>+264(SB)/8, $0x3d2aa9c13d2aa9c1
DATA expTable<>+272(SB)/8, $0x3d2aa9c13d2aa9c1
DATA expTable<>+280(SB)/8, $0x3d2aa9c13d2aa9c1
DATA expTable<>+288(SB)/8, $0x3e2aaaaa3e2aaaaa
DATA expTable<>+296(SB)/8, $0x3e2aaaaa3e2aaaaa
DATA expTable<>+304(SB)/8, $0x3e2aaaaa3e2aaaaa
DATA expTable<>+312(SB)/8, $0x3e2aaaaa3e2aaaaa
DATA expTable<>+320(SB)/8, $0x3f0000003f000000
DATA expTable<>+328(SB)/8, $0x3f0000003f000000
DATA expTable<>+336(SB)/8, $0x3f0000003f000000
DATA expTable<>+344(SB)/8, $0x3f0000003f000000
DATA expTable<>+352(SB)/8, $0x3f8000003f800000
DATA expTable<>+360(SB)/8, $0x3f8000003f800000
DATA expTable<>+368(SB)/8, $0x3f8000003f800000
DATA expTable<>+376(SB)/8, $0x3f8000003f800000
DATA expTable<>+384(SB)/8, $0x0000007f0000007f
DATA expTable<>+392(SB)/8, $0x0000007f0000007f
DATA expTable<>+400(SB)/8, $0x0000007f0000007f
DATA expTable<>+408(SB)/8, $0x0000007f0000007f
GLOBL expTable<>(SB), RODATA|NOPTR, $416

#define expLow expTable<>+0(SB)
#define expLog2E expTable<>+32(SB)
#define expShift expTable<>+64(SB)
#define expLn2High expTable<>+96(SB)
#define expLn2Low expTable<>+128(SB)
#define exp6 expTable<>+160(SB)
#define exp5 expTable<>+192(SB)
#define exp4 expTable<>+224(SB)
#define exp3 expTable<>+256(SB)
#define exp2 expTable<>+288(SB)
#define exp1 expTable<>+320(SB)
#define exp0 expTable<>+352(SB)
#define expBias expTable<>+384(SB)

// func expAVX2(outputs *float32, values *int32, count int, most int32, scale float32)
TEXT ·expAVX2(SB), NOSPLIT, $0-32
	MOVQ outputs+0(FP), DI
	MOVQ values+8(FP), SI
	MOVQ count+16(FP), CX
	MOVL most+24(FP), AX
	VMOVD AX, X14
	VPBROADCASTD X14, Y14
	VBROADCASTSS scale+28(FP), Y15
	VMOVUPS expShift, Y13
	XORQ AX, AX

expLoop:
	VMOVDQU   (SI)(AX*4), Y0
	VPSUBD    Y14, Y0, Y0
	VCVTDQ2PS Y0, Y0
	VMULPS    Y15, Y0, Y0
	VMAXPS    expLow, Y0, Y0

	// Y1 is shifted, Y2 is n, and Y0 becomes rest.
	VMULPS expLog2E, Y0, Y1
	VADDPS Y13, Y1, Y1
	VSUBPS Y13, Y1, Y2
	VMULPS expLn2High, Y2, Y3
	VSUBPS Y3, Y0, Y0
	VMULPS expLn2Low, Y2, Y3
	VSUBPS Y3, Y0, Y0

	VMULPS exp6, Y0, Y3
	VADDPS exp5, Y3, Y3
	VMULPS Y0, Y3, Y3
	VADDPS exp4, Y3, Y3
	VMULPS Y0, Y3, Y3
	VADDPS exp3, Y3, Y3
	VMULPS Y0, Y3, Y3
	VADDPS exp2, Y3, Y3
	VMULPS Y0, Y3, Y3
	VADDPS exp1, Y3, Y3
	VMULPS Y0, Y0, Y4
	VMULPS Y4, Y3, Y3
	VADDPS Y0, Y3, Y3
	VADDPS exp0, Y3, Y3

	VPSUBD  Y13, Y1, Y1
	VPADDD  expBias, Y1, Y1
	VPSLLD  $23, Y1, Y1
	VMULPS  Y1, Y3, Y3
	VMOVUPS Y3, (DI)(AX*4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     expLoop
	VZEROUPPER
	RET

// FOLD adds up the lanes of Y0: 0 + 4, 2 + 6, 1 + 5 and 3 + 7 first.
#define FOLD \
	VEXTRACTF128 $1, Y0, X1 \
	VADDPS       X1, X0, X0 \
	VPSHUFD      $0x4e, X0, X1 \
	VADDPS       X1, X0, X0 \
	VPSHUFD      $0xb1, X0, X1 \
	VADDPS       X1, X0, X0

// func sumAVX2(values *float32, count int) float32
TEXT ·sumAVX2(SB), NOSPLIT, $0-20
	MOVQ   values+0(FP), SI
	MOVQ   count+8(FP), CX
	VXORPS Y0, Y0, Y0
	XORQ   AX, AX

sumLoop:
	VADDPS (SI)(AX*4), Y0, Y0
	ADDQ   $8, AX
	CMPQ   AX, CX
	JLT    sumLoop

	FOLD
	VMOVSS X0, ret+16(FP)
	VZEROUPPER
	RET

// func squaredDistancesAVX2(values *float32, count int, mean float32) float32
TEXT ·squaredDistancesAVX2(SB), NOSPLIT, $0-28
	MOVQ   values+0(FP), SI
	MOVQ   count+8(FP), CX
	VBROADCASTSS mean+16(FP), Y15
	VXORPS Y0, Y0, Y0
	XORQ   AX, AX

squaresLoop:
	VMOVUPS (SI)(AX*4), Y1
	VSUBPS  Y15, Y1, Y1
	VMULPS  Y1, Y1, Y1
	VADDPS  Y1, Y0, Y0
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     squaresLoop

	FOLD
	VMOVSS X0, ret+24(FP)
	VZEROUPPER
	RET

// func addAVX2(values, addends *float32, count int)
TEXT ·addAVX2(SB), NOSPLIT, $0-24
	MOVQ values+0(FP), DI
	MOVQ addends+8(FP), SI
	MOVQ count+16(FP), CX
	XORQ AX, AX

addLoop:
	VMOVUPS (DI)(AX*4), Y0
	VADDPS  (SI)(AX*4), Y0, Y0
	VMOVUPS Y0, (DI)(AX*4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     addLoop
	VZEROUPPER
	RET

// func normalizeAVX2(values, gains, biases *float32, count int, mean, inverse float32)
TEXT ·normalizeAVX2(SB), NOSPLIT, $0-40
	MOVQ values+0(FP), DI
	MOVQ gains+8(FP), SI
	MOVQ biases+16(FP), R8
	MOVQ count+24(FP), CX
	VBROADCASTSS mean+32(FP), Y14
	VBROADCASTSS inverse+36(FP), Y15
	XORQ AX, AX

normalizeLoop:
	VMOVUPS (DI)(AX*4), Y0
	VSUBPS  Y14, Y0, Y0
	VMULPS  Y15, Y0, Y0
	VMULPS  (SI)(AX*4), Y0, Y0
	VADDPS  (R8)(AX*4), Y0, Y0
	VMOVUPS Y0, (DI)(AX*4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     normalizeLoop
	VZEROUPPER
	RET
