import type { PageRequest } from '../html/page-handler.ts'

export type EmbedNeeds = {
  readonly embedding: {
    readonly findOrigins: (merchant: string) => Promise<readonly string[]>
  }
}

export type Embedding = {
  /** Origins for `frame-ancestors`: the merchant's complete list, regardless of the request. */
  readonly framedBy: readonly string[]
  /**
   * Allowed origin that the request names as the embedding page. The embedding page receives the payment's
   * state.
   */
  readonly embedder?: string
}

/** Returns the origins that may frame a checkout. Skips the database if the request is not for a frame. */
export async function validateEmbedding(
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
