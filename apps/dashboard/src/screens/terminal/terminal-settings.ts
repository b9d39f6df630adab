import { useState } from 'react'
import type { TaxPreset } from './tax.ts'

/** What a till keeps between two sales, on this device. */
export type TerminalSettings = {
  readonly currency: 'USD' | 'EUR'
  readonly hasSound: boolean
  /** The key of the tax that was chosen last; none: no tax. */
  readonly taxKey: string | undefined
  /** Taxes that were added on this device. */
  readonly presets: readonly TaxPreset[]
}

const storageKey = 'sluice.terminal'
const fresh: TerminalSettings = { currency: 'USD', hasSound: true, taxKey: undefined, presets: [] }

/** The settings of this till, and how they change. */
export function useTerminalSettings(): [TerminalSettings, (change: Partial<TerminalSettings>) => void] {
  const [settings, setSettings] = useState(read)
  const change = (change: Partial<TerminalSettings>) => {
    const next = { ...settings, ...change }
    setSettings(next)
    try {
      localStorage.setItem(storageKey, JSON.stringify(next))
    } catch {
      // Where nothing can be kept, the choice lasts until the page is closed.
    }
  }
  return [settings, change]
}

function read(): TerminalSettings {
  try {
    const kept = JSON.parse(localStorage.getItem(storageKey) ?? '{}') as Partial<TerminalSettings>
    return { ...fresh, ...kept, presets: Array.isArray(kept.presets) ? kept.presets : [] }
  } catch {
    return fresh
  }
}
