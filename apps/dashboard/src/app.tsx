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
      // When offline, a read fails immediately, so that the screen can report the failure.
      networkMode: 'always',
      refetchOnReconnect: true,
      // Retries only network errors and 5xx responses, because a 4xx response is final.
      retry: (count, error) =>
        count < 2 &&
        navigator.onLine &&
        !(error instanceof ApiError && error.status > 0 && error.status < 500),
    },
    // When offline, a write fails immediately. A paused write could be sent after the user gave up.
    mutations: { networkMode: 'always' },
  },
})

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
