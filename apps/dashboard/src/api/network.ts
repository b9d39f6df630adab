import { useQuery } from '@tanstack/react-query'
import { api, contentOf } from './client.ts'

/** The chain that payments are made on. */
export type Network = {
  readonly id: number
  readonly name: string
  readonly explorerUrl: string | null
  readonly tokens: readonly NetworkToken[]
}

/** A token with its contract. */
export type NetworkToken = {
  readonly symbol: string
  readonly decimals: number
  readonly address: string
}

/** What stands for the chain's own coin where a token's address is asked for. */
export const nativeAddress = '0x0000000000000000000000000000000000000000'

/** The chain; it never changes while a service runs. */
export function useNetwork(): Network | undefined {
  const { data } = useQuery({
    queryKey: ['network'],
    queryFn: () => contentOf(api.GET('/api/network')),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return data
}

/** A token by its contract or its symbol. */
export function findToken(network: Network | undefined, named: string | null): NetworkToken | undefined {
  return network?.tokens.find(
    ({ symbol, address }) => symbol === named || address.toLowerCase() === named?.toLowerCase(),
  )
}
