import { createRouter } from '@tanstack/react-router'
import { moneyRoutes } from './routes/money.ts'
import { operatingRoutes } from './routes/operating.ts'
import { root } from './routes/root.tsx'
import { sellingRoutes } from './routes/selling.ts'
import { NotFound } from './shell/not-found.tsx'
import { ScreenError } from './shell/screen-error.tsx'

export const router = createRouter({
  routeTree: root.addChildren([...moneyRoutes, ...sellingRoutes, ...operatingRoutes]),
  basepath: '/app',
  scrollRestoration: true,
  defaultPreload: 'intent',
  defaultErrorComponent: ScreenError,
  defaultNotFoundComponent: NotFound,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
