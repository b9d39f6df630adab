import { enterStage, fill, markStep, pageData, pageText, shownStep } from './stage.ts'
import type { Slots } from './wallet/payment.ts'

const retryMs = 1_000

let loading: Promise<void> | undefined
let shown: Slots = {}

/** Loads the steps of a payment by a wallet, which are a file of their own; once. @throws where it does not come. */
export function loadSteps(): Promise<void> {
  loading ??= fetchSteps(pageData.panel().dataset.steps ?? '').catch((error: unknown) => {
    loading = undefined
    throw error
  })
  return loading
}

/** Shows a step of a payment by a wallet in place of the panel, as soon as it is there. */
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

/** What is said in words of the page's language: a wallet's fault, and a network that has no name here. */
function wordsOf({ fault, current, currentId: id }: Slots): Slots {
  return {
    ...(fault ? { reason: pageText(`fault-${fault}`) } : {}),
    ...(id && !current ? { current: pageText('unnamed-chain', { id }) } : {}),
  }
}

/** What every step may name. */
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
