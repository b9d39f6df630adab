/** Has the two buttons of each row move it by what is seen of it, and say when there is no further. */
export function addRails(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-move]')) {
    const track = document.getElementById(button.getAttribute('aria-controls') ?? '')
    if (!track) continue
    const direction = Number(button.dataset.move)
    const turn = getComputedStyle(track).direction === 'rtl' ? -1 : 1
    const judge = () => {
      const at = Math.abs(track.scrollLeft)
      const room = track.scrollWidth - track.clientWidth
      const isAtEnd = direction < 0 ? at < 2 : at > room - 2
      button.setAttribute('aria-disabled', String(isAtEnd))
      button.hidden = room < 2
    }
    button.addEventListener('click', () => {
      track.scrollBy({ left: direction * turn * track.clientWidth * 0.85 })
    })
    track.addEventListener('scroll', judge, { passive: true })
    addEventListener('resize', judge)
    judge()
  }
}
