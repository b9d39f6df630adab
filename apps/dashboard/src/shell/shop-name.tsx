import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { text } from '../messages/messages.ts'
import { readShop } from '../service/read-shop.ts'
import type { Session } from '../session/log-in.ts'

/** The shop that the session acts for, by its name; who may not read the shop sees the product's name. */
export function ShopName({ session }: { readonly session: Session }): ReactNode {
  const mayRead = session.merchantWallet !== null && session.role !== 'cashier'
  const { data } = useQuery({
    queryKey: ['shop', 'name'],
    queryFn: async () => (await readShop())?.name ?? '',
    enabled: mayRead,
    staleTime: 60_000,
  })
  const name = data || text('app.name')
  return (
    <p className="flex min-w-0 items-center gap-3">
      <img src="/favicon.ico" alt="" width={32} height={32} />
      <span className="truncate font-bold text-lg" title={name}>
        <bdi>{name}</bdi>
      </span>
    </p>
  )
}
