import {
  createContext,
  lazy,
  type ReactNode,
  Suspense,
  useCallback,
  useContext,
  useRef,
  useState,
} from 'react'
import { text } from '../messages/messages.ts'

const SignOnceMore = lazy(() => import('./sign-once-more.tsx'))

const Ask = createContext<() => Promise<void>>(() => Promise.reject(new Error('no provider above')))

/**
 * Returns a function that opens a dialog for a new login with the wallet. Its promise rejects if the user
 * cancels.
 */
export function useFreshLogin(): () => Promise<void> {
  return useContext(Ask)
}

type Asked = { resolve(): void; reject(reason: Error): void }

export function FreshLogin({ children }: { readonly children: ReactNode }): ReactNode {
  const asked = useRef<Asked | undefined>(undefined)
  const [isOpen, setOpen] = useState(false)
  const ask = useCallback(
    () =>
      new Promise<void>((resolve, reject) => {
        asked.current?.reject(new Error('asked again'))
        asked.current = { resolve, reject }
        setOpen(true)
      }),
    [],
  )
  const end = (isDone: boolean) => {
    setOpen(false)
    if (isDone) asked.current?.resolve()
    else asked.current?.reject(new Error(text('app.fresh.refused')))
    asked.current = undefined
  }
  return (
    <Ask value={ask}>
      {children}
      {isOpen ? (
        <Suspense>
          <SignOnceMore onDone={() => end(true)} onClose={() => end(false)} />
        </Suspense>
      ) : null}
    </Ask>
  )
}
