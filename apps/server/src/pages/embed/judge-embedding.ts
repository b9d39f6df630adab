import type { PageRequest } from '../html/answer-page.ts'

/** Which pages may show a merchant's checkout in a frame. */
export type EmbedNeeds = {
  readonly embedding: {
    /** The origins the merchant has allowed; none for a merchant that never did. */
    readonly findOrigins: (merchant: string) => Promise<readonly string[]>
  }
}

/** Around which pages a checkout may be shown, and which of them asked for it. */
export type Embedding = {
  /** For the policy: the merchant's own list, whatever the request says. */
  readonly framedBy: readonly string[]
  /** The origin that says it shows this page, if it is on the list: it is told how the payment goes. */
  readonly embedder?: string
}

/**
 * Whether a checkout may be shown in a frame: around pages of origins that its merchant has allowed, and no others. A
 * request that is for no frame allows none, and costs no look at the list.
 */
export async function judgeEmbedding(
  { embedding }: EmbedNeeds,
  request: PageRequest,
  merchant: string,
): Promise<Embedding> {
  const { embed } = request.query
  if (request.headers['sec-fetch-dest'] !== 'iframe' && embed === undefined) return { framedBy: [] }
  const framedBy = await embedding.findOrigins(merchant)
  const embedder = framedBy.find((origin) => origin === embed)
  return { framedBy, ...(embedder !== undefined && { embedder }) }
}
