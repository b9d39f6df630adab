import { pageText, say } from './stage.ts'

const shownMs = 2_000

/**
 * Copies the button's text and announces the result.
 *
 * Without the clipboard API (plain http), uses `execCommand`. If that also fails, selects the text.
 */
export async function copy(button: HTMLElement): Promise<void> {
  if (button.dataset.busy) return
  const text = button.dataset.copy ?? ''
  if (!(await writeClipboard(text)) && !copySelection(text)) {
    selectBeside(button, text)
    say(pageText('copy-by-hand'))
    return
  }
  const label = button.textContent
  button.dataset.busy = '1'
  button.textContent = button.dataset.done ?? ''
  say(button.dataset.done ?? '')
  setTimeout(() => {
    button.textContent = label
    delete button.dataset.busy
  }, shownMs)
}

async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

function copySelection(text: string): boolean {
  const focused = document.activeElement
  const area = document.createElement('textarea')
  area.value = text
  area.readOnly = true
  area.className = 'hidden'
  document.body.append(area)
  area.select()
  try {
    return document.execCommand('copy')
  } catch {
    return false
  } finally {
    area.remove()
    if (focused instanceof HTMLElement) focused.focus()
  }
}

/** Selects the text on the page, or otherwise in a new field after the button. */
function selectBeside(button: HTMLElement, text: string): void {
  const around = button.closest('dd, li, p')
  const shown = [...(around?.querySelectorAll<HTMLElement>('*') ?? [])].find(
    (each) => each !== button && each.textContent === text,
  )
  if (shown) {
    getSelection()?.selectAllChildren(shown)
    return
  }
  let field = button.nextElementSibling
  if (!(field instanceof HTMLInputElement)) {
    field = document.createElement('input')
    button.after(field)
  }
  const input = field as HTMLInputElement
  input.readOnly = true
  input.value = text
  input.ariaLabel = button.textContent
  input.select()
}
