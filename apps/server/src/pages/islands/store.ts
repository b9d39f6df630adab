import { parsePage } from './page/document.ts'

const left = new WeakSet<HTMLFormElement>()
let isBusy = false
let fading: ReturnType<typeof setTimeout> | undefined
const shownForMs = 8_000

document.addEventListener('submit', (event) => {
  const form = event.target as HTMLFormElement
  const button = event.submitter as HTMLButtonElement | null
  const isCart = form.matches('[data-cart-form]')
  if (isCart && button?.hasAttribute('formaction')) {
    // The browser submits the order natively. A second submit is blocked.
    if (form.dataset.sent) event.preventDefault()
    form.dataset.sent = 'yes'
  } else if ((isCart || form.matches('[data-cart]')) && !left.has(form)) {
    event.preventDefault()
    void work(form, button)
  }
})

document.addEventListener('change', (event) => {
  const field = event.target as HTMLInputElement
  const { form } = field
  if (form?.matches('[data-cart-form]') && field.checkValidity()) void work(form, null)
  if (form?.matches('[data-dates]') && field.name === 'arrival') setDeparture(form, field.value)
})

// The buyer can order again after a return through the back/forward cache.
addEventListener('pageshow', () => {
  delete document.querySelector<HTMLFormElement>('[data-cart-form]')?.dataset.sent
})

addRails()

async function work(form: HTMLFormElement, button: HTMLButtonElement | null): Promise<void> {
  if (isBusy) return
  isBusy = true
  form.setAttribute('aria-busy', 'true')
  try {
    const fresh = await send(form, button)
    if (form.matches('[data-cart-form]')) showCart(fresh)
    take(fresh)
  } catch {
    left.add(form)
    form.requestSubmit(button)
  } finally {
    isBusy = false
    form.removeAttribute('aria-busy')
  }
}

async function send(form: HTMLFormElement, button: HTMLButtonElement | null): Promise<Document> {
  const fields = new URLSearchParams()
  for (const [name, value] of new FormData(form)) if (typeof value === 'string') fields.append(name, value)
  if (button?.name) fields.append(button.name, button.value)
  const response = await fetch(form.action, { method: 'POST', body: fields })
  if (response.status === 429 || response.status >= 500) throw new Error(String(response.status))
  return parsePage(await response.text())
}

function take(fresh: Document): void {
  const link = fresh.querySelector('#cart-link')
  if (link) document.querySelector('#cart-link')?.replaceWith(link)
  for (const id of ['say', 'warn'])
    document.getElementById(id)?.replaceChildren(...(fresh.getElementById(id)?.childNodes ?? []))
  document.querySelector('.toasts')?.classList.add('floating')
  clearTimeout(fading)
  fading = setTimeout(() => document.getElementById('say')?.replaceChildren(), shownForMs)
}

function showCart(fresh: Document): void {
  const cart = document.getElementById('cart')
  const next = fresh.getElementById('cart')
  if (!cart || !next) throw new Error('the response is not a cart')
  const focused = document.activeElement
  const hadFocus = cart.contains(focused)
  const name = focused?.getAttribute('name')
  const value = focused instanceof HTMLButtonElement ? focused.value : undefined
  cart.replaceWith(next)
  if (!hadFocus) return
  const same = [
    ...next.querySelectorAll<HTMLElement & { value?: string }>(`[name="${CSS.escape(name ?? '')}"]`),
  ]
  const back = same.find((each) => value === undefined || each.value === value)
  ;(back ?? next).focus()
}

function setDeparture(form: HTMLFormElement, arrival: string): void {
  const departure = form.elements.namedItem('departure') as HTMLInputElement | null
  const next = new Date(`${arrival}T00:00:00Z`)
  if (!departure || Number.isNaN(next.getTime())) return
  next.setUTCDate(next.getUTCDate() + 1)
  departure.min = next.toISOString().slice(0, 10)
  if (departure.value && departure.value < departure.min) departure.value = departure.min
}

function addRails(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-move]')) {
    const track = document.getElementById(button.getAttribute('aria-controls') ?? '')
    if (!track) continue
    const direction = Number(button.dataset.move)
    const turn = getComputedStyle(track).direction === 'rtl' ? -1 : 1
    const evaluate = () => {
      const at = Math.abs(track.scrollLeft)
      const room = track.scrollWidth - track.clientWidth
      const isAtEnd = direction < 0 ? at < 2 : at > room - 2
      button.setAttribute('aria-disabled', String(isAtEnd))
      button.hidden = room < 2
    }
    button.addEventListener('click', () => {
      track.scrollBy({ left: direction * turn * track.clientWidth * 0.85 })
    })
    track.addEventListener('scroll', evaluate, { passive: true })
    addEventListener('resize', evaluate)
    evaluate()
  }
}
