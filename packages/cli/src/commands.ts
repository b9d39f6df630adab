import type { Command } from './command.ts'
import { completion } from './completion.ts'
import { eventStream } from './event/stream.ts'
import { eventTail } from './event/tail.ts'
import { orderCreate } from './order/create.ts'
import { productCreate } from './product/create.ts'
import { productList } from './product/list.ts'
import { receiptCancel } from './receipt/cancel.ts'
import { receiptCreate } from './receipt/create.ts'
import { receiptExport } from './receipt/export.ts'
import { receiptGet } from './receipt/get.ts'
import { receiptList } from './receipt/list.ts'
import { receiptTimeline } from './receipt/timeline.ts'
import { receiptWatch } from './receipt/watch.ts'
import { trigger } from './sandbox/trigger.ts'
import { webhookListen } from './webhook/listen.ts'
import { webhookTest } from './webhook/test.ts'

export const commands: readonly Command[] = [
  receiptCreate,
  receiptGet,
  receiptList,
  receiptExport,
  receiptTimeline,
  receiptWatch,
  receiptCancel,
  orderCreate,
  productCreate,
  productList,
  eventTail,
  eventStream,
  webhookListen,
  webhookTest,
  trigger,
  completion,
]
