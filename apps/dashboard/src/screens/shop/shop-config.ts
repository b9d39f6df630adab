import { defaultLook } from '@sluice/protocol/theme/default-look.ts'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { ApiError } from '../../api/api-error.ts'
import { api, contentOf } from '../../api/client.ts'
import type { components } from '../../api/schema.d.ts'

export type ShopConfig = components['schemas']['ShopConfig']

export type ShopTheme = ShopConfig['theme']

/** Returns the merchant's shop, or null if it does not exist. The first change creates it. */
export function useShop(): UseQueryResult<ShopConfig | null> {
  return useQuery({
    queryKey: ['shop', 'config'],
    queryFn: async () => {
      try {
        return (await contentOf(api.GET('/api/shop/config'))).config
      } catch (error) {
        if (error instanceof ApiError && error.code === 'not_found') return null
        throw error
      }
    },
  })
}

export const plainTheme: ShopTheme = defaultLook
