import { ApiError } from '../api/api-error.ts'
import { api, contentOf } from '../api/client.ts'
import type { operations } from '../api/schema.d.ts'

type Body = operations['getShopConfig']['responses'][200]['content']['application/json']

export async function readShop(): Promise<Body['config'] | undefined> {
  try {
    return (await contentOf(api.GET('/api/shop/config'))).config
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}
