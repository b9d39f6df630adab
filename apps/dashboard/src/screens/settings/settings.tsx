import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api, contentOf } from '../../api/client.ts'
import { text } from '../../messages/messages.ts'
import { PageHeader } from '../../parts/page-header.tsx'
import { QueryView } from '../../parts/query-view.tsx'
import { useSession } from '../../session/session-context.ts'
import { EmbedSettings } from './embed-settings.tsx'
import { FinalitySettings } from './finality-settings.tsx'
import { TaxSettings } from './tax-settings.tsx'

export function SettingsScreen(): ReactNode {
  const role = useSession().session?.role
  const isReadOnly = role !== 'owner' && role !== 'admin'
  const settings = useQuery({
    queryKey: ['settings', 'form'],
    queryFn: async () => (await contentOf(api.GET('/api/settings'))).settings,
  })
  return (
    <>
      <PageHeader
        title={text('settings.title')}
        note={isReadOnly ? text('settings.read-only') : text('settings.note')}
      />
      <QueryView query={settings}>
        {(found) => (
          <fieldset disabled={isReadOnly} className="grid max-w-3xl gap-6">
            <legend className="sr-only">{text('settings.title')}</legend>
            <FinalitySettings settings={found} />
            <TaxSettings settings={found} />
            <EmbedSettings settings={found} />
          </fieldset>
        )}
      </QueryView>
    </>
  )
}
