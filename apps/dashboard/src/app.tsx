import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ApiError } from './api/api-error.ts'
import { Toasts } from './parts/toasts.tsx'
import { router } from './router.tsx'
import { FreshLogin } from './session/fresh-login.tsx'
import type { Session } from './session/log-in.ts'
import { SessionProvider } from './session/session-provider.tsx'

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // Offline a read fails at once, and the screen says so; it would wait without a word.
      networkMode: 'always',
      refetchOnReconnect: true,
      // A refusal will be one again; what is unavailable may come back.
      retry: (count, error) =>
        count < 2 &&
        navigator.onLine &&
        !(error instanceof ApiError && error.status > 0 && error.status < 500),
    },
    // Nothing that somebody gave up on is sent later.
    mutations: { networkMode: 'always' },
  },
})

/** The whole app: who is signed in, what was read, and the screen that the address names. */
export function App({ session }: { readonly session: Promise<Session | null> }): ReactNode {
  return (
    <QueryClientProvider client={queries}>
      <SessionProvider first={session}>
        <Toasts>
          <FreshLogin>
            <RouterProvider router={router} />
          </FreshLogin>
        </Toasts>
      </SessionProvider>
    </QueryClientProvider>
  )
}
