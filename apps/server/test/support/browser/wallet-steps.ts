import type { Page } from 'playwright-core'

/** Loads the steps of a payment by a wallet, as the page's script does for a buyer who has one; gives their names. */
export async function loadSteps(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`
    fetch(document.querySelector('#panel').dataset.steps).then((answer) => answer.text()).then((text) => {
      const page = new DOMParser().parseFromString(text, 'text/html')
      document.body.append(...page.querySelectorAll('template'))
      return [...document.querySelectorAll('template[data-step]')]
        .filter((it) => it.content.querySelector('.head')).map((it) => it.dataset.step)
    })`)
}

/** Puts a step on the page, as the page's script does: what a gap is not filled for is left out. */
export async function showStep(
  page: Page,
  step: string,
  slots: Readonly<Record<string, string>>,
): Promise<void> {
  await page.evaluate(
    `(({ step, slots }) => {
      const content = document.querySelector('template[data-step="' + step + '"]').content.cloneNode(true)
      for (const part of content.querySelectorAll('[data-if]')) if (!slots[part.dataset.if]) part.remove()
      for (const gap of content.querySelectorAll('[data-slot]')) gap.textContent = slots[gap.dataset.slot] ?? ''
      for (const link of content.querySelectorAll('a[data-href]')) link.href = '#'
      document.getElementById('stage').replaceChildren(content)
    })(${JSON.stringify({ step, slots })})`,
  )
}
