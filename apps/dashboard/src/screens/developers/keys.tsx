import { Navigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { Notice } from '../../parts/notice.tsx'
import { QueryView } from '../../parts/query-view.tsx'
import { DevelopersHead, useMayHoldKeys } from './developers.tsx'
import { MakeKey } from './make-key.tsx'
import { ShownOnce } from './shown-once.tsx'
import { SubscriptionCard } from './subscription-card.tsx'
import { type FreshKeys, useSubscriptions } from './use-keys.ts'

export function Keys(): ReactNode {
  const mayMake = useMayHoldKeys()
  return mayMake ? <OwnKeys /> : <Navigate to="/developers/deliveries" replace />
}

function OwnKeys(): ReactNode {
  const subscriptions = useSubscriptions()
  const [isMaking, setMaking] = useState(false)
  const [fresh, setFresh] = useState<FreshKeys>()
  return (
    <>
      <DevelopersHead>
        <Button look="main" onClick={() => setMaking(true)}>
          {text('developers.key.make')}
        </Button>
      </DevelopersHead>
      <QueryView
        query={subscriptions}
        isEmpty={(found) => found.length === 0}
        empty={<Notice title={text('developers.keys.none')}>{text('developers.keys.none.text')}</Notice>}
      >
        {(found) => (
          <ul className="grid gap-4">
            {found.map((subscription) => (
              <li key={subscription.id}>
                <SubscriptionCard subscription={subscription} onFresh={setFresh} />
              </li>
            ))}
          </ul>
        )}
      </QueryView>
      {isMaking ? (
        <MakeKey
          onClose={() => setMaking(false)}
          onMade={(made) => {
            setMaking(false)
            setFresh(made)
          }}
        />
      ) : null}
      {fresh ? <ShownOnce fresh={fresh} onClose={() => setFresh(undefined)} /> : null}
    </>
  )
}
