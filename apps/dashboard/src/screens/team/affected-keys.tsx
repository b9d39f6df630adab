import type { ReactNode } from 'react'
import type { UseFormRegisterReturn } from 'react-hook-form'
import { text } from '../../messages/messages.ts'
import { CheckField } from '../../parts/field.tsx'
import { QueryView } from '../../parts/query-view.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { useSubscriptions } from '../developers/use-keys.ts'

/** Lists the keys that the member created. Checked keys remain valid. */
export function AffectedKeys({
  wallet,
  keep,
}: {
  readonly wallet: string
  readonly keep: UseFormRegisterReturn
}): ReactNode {
  const subscriptions = useSubscriptions()
  return (
    <QueryView query={subscriptions} loading={<Skeleton rows={1} />}>
      {(found) => {
        const made = found.flatMap(({ id, name, keys }) => {
          const own = keys.filter(({ madeBy }) => madeBy?.toLowerCase() === wallet.toLowerCase())
          return own.length > 0 ? [{ id, name, hints: own.map(({ hint }) => hint) }] : []
        })
        if (made.length === 0) return <p className="text-dim">{text('team.keys.none')}</p>
        return (
          <fieldset className="grid gap-1">
            <legend className="mb-1 font-medium">{text('team.keys')}</legend>
            <p className="mb-1 text-dim text-sm">{text('team.keys.note')}</p>
            {made.map(({ id, name, hints }) => (
              <CheckField
                key={id}
                label={text('team.keys.keep', { name })}
                hint={<code>{hints.join(' · ')}</code>}
                value={id}
                {...keep}
              />
            ))}
          </fieldset>
        )
      }}
    </QueryView>
  )
}
