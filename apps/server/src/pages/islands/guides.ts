const shownMs = 2_000

const contents = document.querySelector<HTMLElement>('.contents')
const current = contents?.querySelector<HTMLElement>('[aria-current]')
// On narrow screens the table of contents does not scroll, so this has no effect.
if (contents && current) contents.scrollTop = current.offsetTop - contents.offsetTop - 100

for (const block of document.querySelectorAll<HTMLElement>('.code')) addCopyButton(block)

/** Adds a button that copies the code, or selects it if the clipboard API is unavailable (plain http). */
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
