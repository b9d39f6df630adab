import { authRows } from './auth-rows.ts'
import { degradedRows, errorRows, limitRows, serviceRows } from './error-rows.ts'
import { eventRows, webhookBodyRows, webhookHeaderRows } from './event-rows.ts'
import { postRefundRows, postStatusRows, terminalRows } from './managing-rows.ts'
import { postReceiptsAnswerRows, postReceiptsRows } from './post-receipts-rows.ts'
import { readReceiptsRows, receiptRows } from './receipt-rows.ts'
import { inventoryRows, orderRows, splitRows } from './sale-rows.ts'
import { shopRows, siteRows } from './shop-rows.ts'
import { failureRows, stateRows, transitionRows } from './state-rows.ts'

/** The contract's rows by its sections, in its order: id → what the contract says. */
export const sections = [
  { title: 'What the service does', rows: serviceRows },
  { title: 'Resources: receipt', rows: receiptRows },
  { title: 'Endpoints: reading receipts', rows: readReceiptsRows },
  { title: 'Endpoints: the body of POST /api/receipts', rows: postReceiptsRows },
  { title: 'Endpoints: the answers of POST /api/receipts', rows: postReceiptsAnswerRows },
  { title: 'Endpoints: POST /api/receipts/status', rows: postStatusRows },
  { title: 'Endpoints: POST /api/receipts/refund', rows: postRefundRows },
  { title: 'Endpoints: POST /api/receipts/terminal and GET /api/terminal/check-payment', rows: terminalRows },
  { title: 'Inventory', rows: inventoryRows },
  { title: 'Orders', rows: orderRows },
  { title: 'Split', rows: splitRows },
  { title: 'Shop', rows: shopRows },
  { title: 'Site', rows: siteRows },
  { title: 'States', rows: stateRows },
  { title: 'Transitions', rows: transitionRows },
  { title: 'Failures', rows: failureRows },
  { title: 'Authentication', rows: authRows },
  { title: 'Events', rows: eventRows },
  { title: 'Events: request headers', rows: webhookHeaderRows },
  { title: 'Events: body fields', rows: webhookBodyRows },
  { title: 'Errors', rows: errorRows },
  { title: 'Degraded mode', rows: degradedRows },
  { title: 'Limits, versioning and edge', rows: limitRows },
] as const

type IdsOf<Rows> = Rows extends unknown ? keyof Rows : never

/** The name of a row of the contract. */
export type RowId = IdsOf<(typeof sections)[number]['rows']>
