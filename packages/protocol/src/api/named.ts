import type { TSchema } from 'typebox'
import { auditEntryView, memberView, requestView, settingsView, subscriptionView } from './access.ts'
import { attemptView, checkoutView } from './checkout.ts'
import { claimView } from './claims.ts'
import { event, eventPage } from './events.ts'
import { failureCodeView } from './failure-codes.ts'
import { changeProductRequest, productList, productView, putProductRequest } from './inventory.ts'
import { createOrderRequest, createOrderResponse, orderDetail, orderList, orderView } from './orders.ts'
import { receiptSummary } from './receipts/filters.ts'
import {
  createReceiptRequest,
  createReceiptResponse,
  receiptDetail,
  receiptList,
  receiptListItem,
} from './receipts/receipts.ts'
import { refundView, unmatchedList, unmatchedPayment } from './receipts/refunds.ts'
import { receiptStatusResponse } from './receipts/status.ts'
import { shopConfig } from './shop.ts'
import { siteConfig } from './site.ts'
import { splitTransaction, splitView } from './split.ts'
import { taxJurisdiction } from './tax.ts'
import { fieldWarning, warned } from './warnings.ts'
import { webhookBody } from './webhook-body.ts'
import { delivery, deliveryPage, receiverReport } from './webhooks.ts'

export const namedSchemas: Readonly<Record<string, TSchema>> = {
  CreateReceiptRequest: createReceiptRequest,
  CreatedReceipt: createReceiptResponse,
  Receipt: receiptListItem,
  ReceiptDetail: receiptDetail,
  ReceiptList: receiptList,
  ReceiptSummary: receiptSummary,
  ReceiptStatusResponse: receiptStatusResponse,
  Refund: refundView,
  CreateOrderRequest: createOrderRequest,
  CreatedOrder: createOrderResponse,
  Order: orderView,
  OrderDetail: orderDetail,
  OrderList: orderList,
  PutProductRequest: putProductRequest,
  ChangeProductRequest: changeProductRequest,
  Product: productView,
  ProductList: productList,
  Split: splitView,
  SplitTransaction: splitTransaction,
  ShopConfig: shopConfig,
  SiteConfig: siteConfig,
  FailureCode: failureCodeView,
  TaxJurisdiction: taxJurisdiction,
  WebhookBody: webhookBody,
  FeedEvent: event,
  FeedPage: eventPage,
  Delivery: delivery,
  DeliveryPage: deliveryPage,
  ReceiverReport: receiverReport,
  Claim: claimView,
  UnmatchedPayment: unmatchedPayment,
  UnmatchedList: unmatchedList,
  Checkout: checkoutView,
  PaymentAttempt: attemptView,
  Subscription: subscriptionView,
  Member: memberView,
  AuditEntry: auditEntryView,
  RequestLogEntry: requestView,
  Settings: settingsView,
  FieldWarning: fieldWarning,
  Warned: warned,
}
