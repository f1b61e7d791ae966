/*
 * Makes the search work in pages opened from the disk, where Chromium gives them no workers.
 *
 * The script of the worker runs in a hidden frame instead, which exchanges the same messages with
 * the page. The name of this file tells Material's offline plugin that it need not load such a
 * script from elsewhere.
 */
if (location.protocol === "file:") {
  window.Worker = class FrameWorker extends EventTarget {
    #frame = document.createElement("iframe");
    #ready;

    constructor(address) {
      super();
      this.#frame.hidden = true;
      document.body.append(this.#frame);
      const scope = this.#frame.contentWindow;
      scope.postMessage = data => this.#receive(data);
      scope.importScripts = (...scripts) =>
        scripts.reduce(
          (before, script) => before.then(() => this.#load(script)),
          Promise.resolve(),
        );
      this.#ready = this.#load(address);
    }

    postMessage(data) {
      const scope = this.#frame.contentWindow;
      this.#ready.then(() => scope.dispatchEvent(new scope.MessageEvent("message", { data })));
    }

    terminate() {
      this.#frame.remove();
    }

    #receive(data) {
      const event = new MessageEvent("message", { data });
      this.dispatchEvent(event);
      this.onmessage?.(event);
    }

    #load(address) {
      return new Promise((resolve, reject) => {
        const script = this.#frame.contentDocument.createElement("script");
        script.src = new URL(address, location.href);
        script.onload = resolve;
        script.onerror = () => reject(new Error(`${address} cannot be loaded`));
        this.#frame.contentDocument.head.append(script);
      });
    }
  };
}
