import { type ReactNode, useState } from 'react'
import { text } from '../../messages/messages.ts'
import { Card } from '../../parts/card.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { SelectField } from '../../parts/field.tsx'
import { Section } from '../../parts/section.tsx'
import { DevelopersHead } from './developers.tsx'
import { makeSnippets } from './make-snippets.ts'
import { useSubscriptions } from './use-keys.ts'

export function Snippets(): ReactNode {
  const { data = [] } = useSubscriptions()
  const active = data.filter(({ revokedAt }) => revokedAt === null)
  const [chosen, choose] = useState<string>()
  const subscription = active.find(({ id }) => id === chosen) ?? active[0]
  const key = subscription?.keys.find(({ slot }) => slot === 'primary')
  const snippets = makeSnippets({
    baseUrl: location.origin,
    keyName: subscription?.name ?? '',
    keyId: key?.id ?? '',
    keyHint: key?.hint ?? 'sk_…',
  })
  return (
    <>
      <DevelopersHead />
      <div className="grid gap-6">
        <Card title={text('developers.snippets.key')} note={text('developers.snippets.note')}>
          {active.length > 0 ? (
            <div className="grid max-w-md gap-3">
              <SelectField
                label={text('developers.filter.key')}
                value={subscription?.id ?? ''}
                onChange={(event) => choose(event.target.value)}
              >
                {active.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </SelectField>
              <p className="text-sm">
                <code>{key?.id}</code> · <code>{key?.hint}</code>
              </p>
            </div>
          ) : (
            <p className="text-dim">{text('developers.snippets.no-key')}</p>
          )}
        </Card>
        <Section title={text('developers.snippets.make')}>
          <div className="grid gap-4">
            {snippets.make.map(({ language, code }) => (
              <CodeBlock key={language} label={language} code={code} />
            ))}
          </div>
        </Section>
        <Section title={text('developers.snippets.verify')} note={text('developers.snippets.verify.note')}>
          <div className="grid gap-4">
            {snippets.verify.map(({ language, code }) => (
              <CodeBlock key={language} label={language} code={code} />
            ))}
          </div>
        </Section>
      </div>
    </>
  )
}
