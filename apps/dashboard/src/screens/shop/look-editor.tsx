import { type ReactNode, useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { api, contentOf } from '../../api/client.ts'
import { useWrite } from '../../api/use-write.ts'
import { text } from '../../messages/messages.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { FormProblem } from '../../parts/form-problem.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { QueryView } from '../../parts/query-view.tsx'
import { useToast } from '../../parts/toasts.tsx'
import { useRole } from '../../session/use-role.ts'
import { isSame, type KeptLooks, keepLooks, readLooks } from './draft-store.ts'
import { LeaveGuard } from './leave-guard.tsx'
import { colourFields } from './look.ts'
import { LookForm } from './look-form.tsx'
import { PreviewFrame } from './preview-frame.tsx'
import { plainTheme, type ShopConfig, type ShopTheme, useShop } from './shop-config.ts'
import { ShopTabs } from './shop-tabs.tsx'

export function LookEditor(): ReactNode {
  const shop = useShop()
  return (
    <>
      <PageHeader title={text('shop.title')} note={text('shop.look.note')} />
      <ShopTabs />
      <QueryView query={shop}>{(found) => <Editor shop={found} />}</QueryView>
    </>
  )
}

function Editor({ shop }: { readonly shop: ShopConfig | null }): ReactNode {
  const say = useToast()
  const { isManager, wallet } = useRole()
  const published = shop?.theme ?? plainTheme
  const [kept, setKept] = useState<KeptLooks>(() => readLooks(wallet))
  const [theme, setTheme] = useState<ShopTheme>(kept.draft ?? published)
  const keep = (looks: KeptLooks) => {
    setKept(looks)
    keepLooks(wallet, looks)
  }
  const saved = kept.draft ?? published
  const isDirty = !isSame(theme, saved)
  const publish = useWrite(
    () => contentOf(api.POST('/api/shop/config', { body: { theme: changedOf(theme, published) } })),
    [['shop']],
  )
  const send = () =>
    publish.mutate(undefined, {
      onSuccess() {
        keep({ previous: published })
        say(text('shop.look.published'))
      },
    })
  const issues = publish.error instanceof ApiError ? publish.error.issues : []
  const { previous } = kept
  return (
    <div className="grid gap-6 xl:grid-cols-[26rem_1fr]">
      <LeaveGuard isDirty={isDirty && !publish.isPending} />
      <fieldset disabled={!isManager} className="grid min-w-0 content-start gap-5">
        <State isDirty={isDirty} isDraft={!isSame(theme, published)} />
        <LookForm theme={theme} issues={issues} onChange={(change) => setTheme({ ...theme, ...change })} />
        <FormProblem error={publish.error} />
        <div className="sticky bottom-0 flex flex-wrap gap-3 border-line border-t bg-page py-3">
          <Button look="main" disabled={isSame(theme, published) || publish.isPending} onClick={send}>
            {text('shop.look.publish')}
          </Button>
          <Button
            disabled={!isDirty}
            onClick={() => {
              keep({ ...kept, draft: theme })
              say(text('shop.look.draft-saved'))
            }}
          >
            {text('shop.look.save-draft')}
          </Button>
          <Button disabled={!isDirty} onClick={() => setTheme(saved)}>
            {text('shop.discard')}
          </Button>
          {kept.draft ? (
            <Button
              onClick={() => {
                keep({ ...kept, draft: undefined })
                setTheme(published)
              }}
            >
              {text('shop.look.drop-draft')}
            </Button>
          ) : null}
          {previous && !isSame(previous, published) ? (
            <Button onClick={() => setTheme(previous)}>{text('shop.look.revert')}</Button>
          ) : null}
        </div>
      </fieldset>
      <PreviewFrame
        theme={theme}
        published={published}
        name={shop?.name.trim() || text('shop.look.no-name')}
        merchant={wallet}
        form={{ arrangement: shop?.arrangement ?? 'grid', pack: shop?.industryPack ?? 'none' }}
      />
    </div>
  )
}

function State({ isDirty, isDraft }: { readonly isDirty: boolean; readonly isDraft: boolean }): ReactNode {
  if (isDirty)
    return (
      <p role="status">
        <Badge tone="wait" sign="✎">
          {text('shop.look.state.unsaved')}
        </Badge>
      </p>
    )
  return (
    <p role="status">
      <Badge tone={isDraft ? 'wait' : 'good'} sign={isDraft ? '✎' : '✓'}>
        {text(isDraft ? 'shop.look.state.draft' : 'shop.look.state.published')}
      </Badge>
    </p>
  )
}

/** Returns the changed fields. All colors are sent together, because the service corrects them together. */
function changedOf(theme: ShopTheme, published: ShopTheme): Partial<ShopTheme> {
  const isRecoloured = colourFields.some((field) => theme[field] !== published[field])
  const entries = Object.entries(theme).filter(([name, value]) =>
    colourFields.some((field) => field === name)
      ? isRecoloured
      : value !== published[name as keyof ShopTheme],
  )
  return Object.fromEntries(entries)
}
