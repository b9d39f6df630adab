import { enterStage, fill, markStep, pageData, pageText, shownStep } from './stage.ts'
import type { Slots } from './wallet/payment.ts'

const retryMs = 1_000

let loading: Promise<void> | undefined
let shown: Slots = {}

/**
 * Loads the wallet steps, once.
 * @throws if the file cannot be loaded.
 */
export function loadSteps(): Promise<void> {
  loading ??= fetchSteps(pageData.panel().dataset.steps ?? '').catch((error: unknown) => {
    loading = undefined
    throw error
  })
  return loading
}

export function showStep(name: string, slots: Slots = {}): void {
  markStep(name)
  shown = slots
  const template = document.querySelector<HTMLTemplateElement>(`template[data-step=${name}]`)
  if (template) {
    enterStage(fill(template, { ...ownSlots(), ...slots, ...wordsOf(slots) }))
    return
  }
  const again = () => {
    if (shownStep() === name && shown === slots) showStep(name, slots)
  }
  loadSteps().then(again, () => setTimeout(again, retryMs))
}

async function fetchSteps(url: string): Promise<void> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(String(response.status))
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  for (const template of page.querySelectorAll('template')) document.body.append(document.adoptNode(template))
}

function wordsOf({ error: reason, current, currentId: id }: Slots): Slots {
  return {
    ...(reason ? { reason: pageText(`fault-${reason}`) } : {}),
    ...(id && !current ? { current: pageText('unnamed-chain', { id }) } : {}),
  }
}

function ownSlots(): Slots {
  const { brand = '' } = pageData.panel().dataset
  const chain = pageData.offer()?.chain
  if (!chain) return { brand }
  return {
    brand,
    chain: chain.name,
    chainId: String(chain.id),
    rpc: chain.rpcUrl ?? '',
    coin: chain.coin.symbol,
  }
}
