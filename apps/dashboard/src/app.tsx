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
      // A refusal will be one again; what is unavailable may come back.
      retry: (count, error) => count < 2 && !(error instanceof ApiError && error.status < 500),
    },
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
