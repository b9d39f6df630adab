import type { WebhookBody } from './wire.ts'

/** What a webhook, and an event of the feed, tells: the status of a receipt changed. */
export type WebhookEvent = WebhookBody
