import type { components } from '../../api/schema.d.ts'

/** A product as the API gives it to its merchant. */
export type Product = components['schemas']['Product']

/** What of a product can be changed. */
export type ProductChange = components['schemas']['ChangeProductRequest']

/** How much of something that is not counted is there. */
export const unlimited = -1
