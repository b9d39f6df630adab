/** The states by which deliveries are found. */
export const deliveryStates = ['pending', 'delivered', 'superseded', 'exhausted'] as const

/** What the address of the deliveries says: which are shown. */
export type DeliverySearch = { readonly state?: (typeof deliveryStates)[number]; readonly receiptId?: string }

/** Reads it; what is none of ours is left out. */
export function readDeliverySearch({ state, receiptId }: Record<string, unknown>): DeliverySearch {
  const known = deliveryStates.find((each) => each === state)
  const id = receiptId === undefined ? '' : String(receiptId).slice(0, 128)
  return { ...(known && { state: known }), ...(id && { receiptId: id }) }
}

/** What the address of the request log says. */
export type RequestSearch = { readonly key?: string }

/** Reads it. */
export function readRequestSearch({ key }: Record<string, unknown>): RequestSearch {
  return typeof key === 'string' && key !== '' ? { key: key.slice(0, 64) } : {}
}
