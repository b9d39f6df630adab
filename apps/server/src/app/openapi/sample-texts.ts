import { sampleWebhookBody } from '@sluice/protocol/api/webhook-body.ts'
import { buyer, depositAddress, isoPaidAt, transactionHash } from './sample-values.ts'

const lines = (...texts: readonly string[]) => texts.map((text) => `${text}\r\n`).join('')
const event = JSON.stringify({ number: 1, receiptId: 'order-1001', body: JSON.stringify(sampleWebhookBody) })

/** Sample responses that are not JSON. A test compares the columns with those of the exports. */
export const sampleTexts: Readonly<Record<string, string>> = {
  'GET /api/receipts/export': lines(
    'receiptId,status,createdAt,currency,total,totalUsd,feeUsd,customerTotalUsd,refundedUsd,paidAt,token,transactionHash,buyerWallet,email,transactionId,jurisdictionCode,taxRate,brandName,expiresAt,cancelledAt,metadata',
    `order-1001,paid,2026-01-15T12:00:00.000Z,USD,30,30,0,30,0,${isoPaidAt},USDC,${transactionHash},${buyer},,,,,Harbour Coffee,,,`,
  ),
  'GET /api/payments/export': lines(
    'receiptId,at,state,kind,token,amount,amountRaw,usdPerUnit,payer,depositAddress,transactionHash,blockNumber,creditedAt,sweepTransactionHash',
    `order-1001,${isoPaidAt},counted,deposit,USDC,30,30000000,1,${buyer},${depositAddress},${transactionHash},25100000,${isoPaidAt},`,
  ),
  'GET /api/split/transactions/export': lines(
    'id,receiptId,timestamp,status,currency,amount,amountRaw,fees,transactionHash',
    `${transactionHash}-3,order-1001,${isoPaidAt},distributed,USDC,30,30000000,0.15,${transactionHash}`,
  ),
  'GET /api/inventory/export': lines(
    'id,sku,name,description,priceUsd,stockQty,taxable,category,tags,images,attributes,costUsd,status',
    'mug,mug,Mug,,19.99,100,true,,kitchen,,,,active',
  ),
  'GET /api/events/stream': `id: 0\nevent: ready\ndata: {}\n\nid: 1\nevent: receipt.status_updated\ndata: ${event}\n\n`,
}
