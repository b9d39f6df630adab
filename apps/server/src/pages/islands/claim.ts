import { discoverWallets } from '@sluice/browser-wallet/discover-wallets.ts'
import { readError } from '@sluice/browser-wallet/read-error.ts'
import { localiseTimes } from './page/document.ts'
import { fill } from './stage.ts'
import type { BrowserWallet, Slots } from './wallet/payment.ts'

const section = document.getElementById('by-wallet')
let isBusy = false

localiseTimes()
if (section) offerWallets(section)

function offerWallets(home: HTMLElement): void {
  discoverWallets(
    (wallet) => addButton(home, wallet),
    () => {
      find(home, '[data-looking]')?.remove()
      if (!find(home, '[data-wallets]')?.hasChildNodes()) showNone(home, true)
    },
  )
}

function showNone(home: HTMLElement, isNone: boolean): void {
  const [list, none] = [find(home, '[data-wallets]'), find(home, '[data-no-wallet]')]
  if (list) list.hidden = isNone
  if (none) none.hidden = !isNone
}

function addButton(home: HTMLElement, wallet: BrowserWallet): void {
  find(home, '[data-looking]')?.remove()
  showNone(home, false)
  const template = home.querySelector<HTMLTemplateElement>('template[data-wallet-button]')
  const unnamed = home.querySelector<HTMLTemplateElement>('template[data-unnamed]')
  if (!template) return
  const button = fill(template, { wallet: wallet.name ?? unnamed?.content.textContent ?? '' })
  const image = button.querySelector('img')
  if (wallet.icon && image) image.src = wallet.icon
  else image?.remove()
  button.querySelector('button')?.addEventListener('click', () => void claimWith(home, wallet))
  find(home, '[data-wallets]')?.append(button)
}

async function claimWith(home: HTMLElement, wallet: BrowserWallet): Promise<void> {
  if (isBusy) return
  isBusy = true
  try {
    const payer = home.dataset.payer ?? ''
    showStep(home, 'connecting')
    const provider = await wallet.open(() => {})
    const accounts = (await provider.request({ method: 'eth_requestAccounts' })) as string[]
    const account = accounts.find((each) => each.toLowerCase() === payer.toLowerCase())
    if (!account) return showError(home, 'account')

    const payment = { transactionHash: home.dataset.hash, logIndex: Number(home.dataset.log) }
    const asked = await post('/api/payments/claims/challenge', { ...payment, wallet: payer })
    if (!asked.ok) return showError(home, errorOf(asked.status))
    const { typedData } = await asked.json()
    showStep(home, 'signing')
    const signature = await provider.request({
      method: 'eth_signTypedData_v4',
      params: [account, JSON.stringify(typedData)],
    })
    showStep(home, 'sending')
    const proof = { wallet: payer, nonce: typedData.message.nonce, signature }
    const made = await post('/api/payments/claims', { ...payment, proof, ...wordsOf(home) })
    if (!made.ok) return showError(home, errorOf(made.status))
    const { caseId } = await made.json()
    location.assign((home.dataset.next ?? '').replace(':id', caseId))
  } catch (error) {
    if (error instanceof TypeError || error instanceof DOMException) return showError(home, 'unavailable')
    const reason = readError(error)
    if (reason.kind === 'rejected' || reason.kind === 'busy') showError(home, reason.kind)
    else showError(home, 'wallet', reason.kind === 'other' ? reason.message : '')
  } finally {
    isBusy = false
  }
}

function post(path: string, body: object): Promise<Response> {
  return fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
  })
}

function errorOf(status: number): string {
  if (status === 403) return 'unproven'
  if (status === 404) return 'gone'
  return status === 429 ? 'too-many' : 'unavailable'
}

function wordsOf(home: HTMLElement): Record<string, string> {
  const form = home.querySelector<HTMLFormElement>('form[data-words]')
  const entries = form ? [...new FormData(form)] : []
  return Object.fromEntries(
    entries.filter(([, value]) => value !== '').map(([name, value]) => [name, String(value)]),
  )
}

function showStep(home: HTMLElement, name: string): void {
  const [step, text, reason] = ['[data-step]', '[data-step-text]', '[data-fault]'].map((each) =>
    find(home, each),
  )
  if (!step || !text || !reason) return
  reason.hidden = true
  step.hidden = false
  text.replaceChildren(textNamed(home, name))
  const region = document.getElementById('say')
  if (region) region.textContent = text.textContent
}

function showError(home: HTMLElement, name: string, message = ''): void {
  const [step, reason] = [find(home, '[data-step]'), find(home, '[data-fault]')]
  if (!step || !reason) return
  step.hidden = true
  reason.hidden = false
  reason.replaceChildren(textNamed(home, name, { message }))
}

function textNamed(home: HTMLElement, name: string, slots: Slots = {}): DocumentFragment {
  const template = home.querySelector<HTMLTemplateElement>(`template[data-text="${name}"]`)
  return template ? fill(template, slots) : document.createDocumentFragment()
}

function find(home: HTMLElement, selector: string): HTMLElement | null {
  return home.querySelector<HTMLElement>(selector)
}
