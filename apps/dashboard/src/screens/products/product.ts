import type { components } from '../../api/schema.d.ts'

export type Product = components['schemas']['Product']

export type ProductChange = components['schemas']['ChangeProductRequest']

/** The `stockQty` of a product with unlimited stock. */
export const unlimited = -1
