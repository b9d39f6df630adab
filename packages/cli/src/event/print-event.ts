import type { FollowedEvent } from '../../../sdk/src/sluice.ts'
import { clean, type Output, showTime } from '../output.ts'
import { showStatus } from '../receipt/show-status.ts'

export function printEvent(out: Output, entry: FollowedEvent): void {
  const { number, createdAt, receiptId, idempotencyKey, event, checkpoint } = entry
  out.result({ number, createdAt, receiptId, idempotencyKey, hash: checkpoint.hash, event }, () => {
    const change = `${event.previousStatus} → ${showStatus(out, event.status)}`
    out.line(`${String(number).padStart(5)}  ${showTime(createdAt)}  ${clean(receiptId)}  ${change}`)
  })
}
