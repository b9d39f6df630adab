const shownMs = 2_000

const contents = document.querySelector<HTMLElement>('.contents')
const current = contents?.querySelector<HTMLElement>('[aria-current]')
// On narrow screens the contents do not scroll, and this does nothing.
if (contents && current) contents.scrollTop = current.offsetTop - contents.offsetTop - 100

for (const block of document.querySelectorAll<HTMLElement>('.code')) addCopyButton(block)

/** Adds a button that copies the code. Without the clipboard API (plain http), the button selects the code. */
function addCopyButton(block: HTMLElement): void {
  const code = block.querySelector('code')
  if (!code) return
  const button = document.createElement('button')
  button.className = 'copy'
  button.ariaLive = 'polite'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(code.textContent ?? '')
      button.textContent = 'Copied'
    } catch {
      getSelection()?.selectAllChildren(code)
      button.textContent = 'Selected'
    }
    setTimeout(() => {
      button.textContent = 'Copy'
    }, shownMs)
  })
  block.append(button)
}
