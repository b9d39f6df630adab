import type { UseMutationResult } from '@tanstack/react-query'
import { api, contentOf } from '../../api/client.ts'
import type { operations } from '../../api/schema.d.ts'
import { useWrite } from '../../api/use-write.ts'
import { text } from '../../messages/messages.ts'
import { useToast } from '../../parts/toasts.tsx'

export type Settings = operations['getSettings']['responses'][200]['content']['application/json']['settings']

/** Changed settings. Omitted fields keep their values. */
export type Change = NonNullable<operations['postSettings']['requestBody']>['content']['application/json']

export function useSave(): { write: UseMutationResult<unknown, Error, Change>; save(change: Change): void } {
  const say = useToast()
  const write = useWrite(
    (body: Change) => contentOf(api.POST('/api/settings', { body })),
    [['settings'], ['audit']],
  )
  return {
    write,
    save: (change) =>
      void write.mutateAsync(change).then(
        () => say(text('app.saved')),
        () => {},
      ),
  }
}
