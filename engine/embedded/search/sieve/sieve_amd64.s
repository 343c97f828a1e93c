#include "textflag.h"

// 65536 as a floating-point number, and the lower half of a number.
DATA high<>+0(SB)/4, $65536.0
GLOBL high<>(SB), RODATA|NOPTR, $4
DATA low<>+0(SB)/4, $0xffff
GLOBL low<>(SB), RODATA|NOPTR, $4

// func filterAVX2(found *Set, words *Words, needs *Needs)
//
// Eight documents at a time. AVX2 converts signed numbers only, so the halves of a sum are converted apart; the sum of
// both is rounded once, as a conversion in Go is.
TEXT ·filterAVX2(SB), NOSPLIT, $0-24
	MOVQ found+0(FP), DI
	MOVQ words+8(FP), AX
	MOVQ needs+16(FP), BX

	MOVQ 0(AX), SI  // Text
	MOVQ 8(AX), R8  // Skills
	MOVQ 16(AX), R9 // Codes
	MOVQ 16(BX), R10 // Penalties

	VBROADCASTSS 0(BX), Y10  // Score
	VBROADCASTSS 4(BX), Y11  // Weight
	VBROADCASTSS 8(BX), Y12  // Half
	VBROADCASTSS 12(BX), Y13 // Stretch
	VBROADCASTSS high<>(SB), Y14
	VPBROADCASTD low<>(SB), Y15
	XORQ         CX, CX

loop:
	// sum = float32(text) * stretch
	VMOVDQU   (SI)(CX*4), Y0
	VPSRLD    $16, Y0, Y1
	VPAND     Y15, Y0, Y0
	VCVTDQ2PS Y0, Y0
	VCVTDQ2PS Y1, Y1
	VMULPS    Y14, Y1, Y1
	VADDPS    Y0, Y1, Y0
	VMULPS    Y13, Y0, Y0

	// missing = score - skills + penalties[code], multiplied by sum + half
	VPMOVZXWD  (R9)(CX*2), Y2
	VPCMPEQD   Y3, Y3, Y3
	VGATHERDPS Y3, (R10)(Y2*4), Y4
	VSUBPS     (R8)(CX*4), Y10, Y5
	VADDPS     Y4, Y5, Y5
	VADDPS     Y12, Y0, Y6
	VMULPS     Y6, Y5, Y5

	// Those whose weight * sum is at least as much remain.
	VMULPS    Y11, Y0, Y0
	VCMPPS    $0x1d, Y5, Y0, Y0
	VMOVMSKPS Y0, DX
	MOVB      DX, (DI)
	INCQ      DI
	ADDQ      $8, CX
	CMPQ      CX, $256
	JLT       loop
	VZEROUPPER
	RET
