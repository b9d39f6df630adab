import { defaultLook } from '@sluice/protocol/theme/default-look.ts'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { ApiError } from '../../api/api-error.ts'
import { api, contentOf } from '../../api/client.ts'
import type { components } from '../../api/schema.d.ts'

/** A shop as its merchant configures it. */
export type ShopConfig = components['schemas']['ShopConfig']

/** How a shop looks. */
export type ShopTheme = ShopConfig['theme']

/** The merchant's shop; null where none was made yet: the first change makes it. */
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

/** How a shop looks of whose merchant nothing is known. */
export const plainTheme: ShopTheme = defaultLook
