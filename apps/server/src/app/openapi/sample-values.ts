export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue }

export const merchant = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
export const buyer = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'
export const partner = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65'
export const split = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
export const depositAddress = '0x976EA74026E726554dB657fA54763abd0C3a0aa9'
export const transactionHash = `0x${'4e'.repeat(32)}`
export const createdAt = Date.UTC(2026, 0, 15, 12)
export const paidAt = createdAt + 95_000
export const isoPaidAt = new Date(paidAt).toISOString()
export const url = 'https://pay.sluice.example'
export const hook = 'https://shop.example.com/hook'
export const recordId = '01J8ZQ4W7N3T6V9X2B5D8F0H1K'
export const orderId = `R-${recordId}`
export const product = {
  id: 'mug',
  sku: 'mug',
  name: 'Mug',
  description: '',
  priceUsd: 19.99,
  stockQty: 100,
  taxable: true,
  category: null,
  tags: ['kitchen'],
  images: [],
  attributes: {},
  status: 'active',
  createdAt,
  updatedAt: createdAt,
}
