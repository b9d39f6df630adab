import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from 'react'

type Toast = { readonly id: number; readonly words: string }

const shownMs = 6_000
const Say = createContext<(words: string) => void>(() => {})

/** Returns a function that shows a message for a few seconds. Screen readers announce it. */
export function useToast(): (words: string) => void {
  return useContext(Say)
}

export function Toasts({ children }: { readonly children: ReactNode }): ReactNode {
  const [toasts, setToasts] = useState<readonly Toast[]>([])
  const last = useRef(0)
  const say = useCallback((words: string) => {
    last.current += 1
    const toast = { id: last.current, words }
    setToasts((before) => [...before.slice(-2), toast])
    setTimeout(() => setToasts((before) => before.filter(({ id }) => id !== toast.id)), shownMs)
  }, [])
  return (
    <Say value={say}>
      {children}
      <div
        role="status"
        className="pointer-events-none fixed inset-x-3 bottom-4 z-40 grid justify-items-center gap-2"
      >
        {toasts.map(({ id, words }) => (
          <p key={id} className="rounded-xl bg-ink px-4 py-2.5 font-medium text-page shadow-lg">
            {words}
          </p>
        ))}
      </div>
    </Say>
  )
}
