import type { ClaimCase } from '../../../src/payments/claims/find-case.ts'
import type { ClaimablePayment } from '../../../src/payments/claims/find-claimable.ts'

/** The number every made case has. */
export const caseNumber = 'C-7QWZ0D8V3M5N1K9B2X4T6Y8R0J'

const at = Date.UTC(2025, 10, 21, 8, 1)

/** A payment that may be claimed. */
export function makeClaimable(changes: Partial<ClaimablePayment> = {}): ClaimablePayment {
  return {
    transactionHash: `0x${'7d2f40c1'.repeat(8)}`,
    logIndex: 4,
    token: 'USDC',
    tokenAddress: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    decimals: 6,
    amount: '64500000',
    payer: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
    to: '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
    at,
    ...changes,
  }
}

/** A claim that is waiting, changed where a test says so. */
export function makeCase(changes: Partial<ClaimCase> = {}): ClaimCase {
  return {
    id: caseNumber,
    state: 'open',
    isProven: true,
    refundAddress: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
    madeAt: at + 3_600_000,
    payment: makeClaimable(),
    decidedAt: null,
    refund: null,
    chain: { name: 'Base', explorerUrl: 'https://basescan.org' },
    ...changes,
  }
}
