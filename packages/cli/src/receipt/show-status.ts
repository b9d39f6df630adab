import type { ReceiptStatus } from '../../../sdk/src/sluice.ts'
import type { Output } from '../output.ts'

export function showStatus(out: Output, status: ReceiptStatus): string {
  if (status === 'paid' || status === 'reconciled') return out.paint('good', status)
  if (status === 'failed') return out.paint('bad', status)
  return out.paint('warn', status)
}
