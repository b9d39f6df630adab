/**
 * A question whose answer changes all the time: those who ask while it is under way are answered by the next one, which
 * begins after they have asked, all together.
 */
export class AskedTogether<Answer> {
  readonly #question: () => Promise<Answer>
  #current: Promise<Answer> | undefined
  #next: Promise<Answer> | undefined

  constructor(question: () => Promise<Answer>) {
    this.#question = question
  }

  /** An answer that is no older than this call. */
  ask(): Promise<Answer> {
    if (!this.#current) return this.#begin()
    this.#next ??= this.#current.then(
      () => this.#begin(),
      () => this.#begin(),
    )
    return this.#next
  }

  #begin(): Promise<Answer> {
    this.#next = undefined
    const current = this.#question().finally(() => {
      if (this.#current === current) this.#current = undefined
    })
    this.#current = current
    return current
  }
}
