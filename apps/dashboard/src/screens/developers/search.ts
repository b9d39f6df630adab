export const deliveryStates = ['pending', 'delivered', 'superseded', 'exhausted'] as const

export type DeliverySearch = { readonly state?: (typeof deliveryStates)[number]; readonly receiptId?: string }

/** Parses the URL parameters. Ignores invalid values. */
export function readDeliverySearch({ state, receiptId }: Record<string, unknown>): DeliverySearch {
  const known = deliveryStates.find((each) => each === state)
  const id = receiptId === undefined ? '' : String(receiptId).slice(0, 128)
  return { ...(known && { state: known }), ...(id && { receiptId: id }) }
}

export type RequestSearch = { readonly key?: string }

export function readRequestSearch({ key }: Record<string, unknown>): RequestSearch {
  return typeof key === 'string' && key !== '' ? { key: key.slice(0, 64) } : {}
}
