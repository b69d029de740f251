// Another run beside the current one: its diagram, and in the tables what holds there and not here.
class Beside {
  constructor(panel, select, app) {
    this.panel = panel;
    this.select = select;
    this.app = app;
    this.run = null;
    this.spacetime = null;
    select.onchange = () => this.show(select.value === "" ? null : REPORT.runs[Number(select.value)]);
  }

  // What differences are told against: the run beside, or the failure-free one.
  get index() { return this.run ? indexOf(this.run) : baseIndex(); }

  // The runs to choose from: all but the current one.
  list() {
    const { current } = this.app;
    if (this.run === this.app.run || !REPORT.runs.includes(this.run)) this.hide();
    const option = (run, at) => make("option", { value: at, selected: run === this.run ? "" : null }, runName(run));
    this.select.replaceChildren(make("option", { value: "" }, "nothing"), ...REPORT.runs.map((run, at) => (at === current ? null : option(run, at))).filter(Boolean));
    this.select.parentElement.hidden = REPORT.runs.length < 2;
  }

  hide() {
    this.run = null;
    this.panel.hidden = true;
    document.querySelector("main").classList.remove("beside");
  }

  show(run) {
    if (run) {
      this.run = run;
      this.panel.hidden = false;
      document.querySelector("main").classList.add("beside");
      byId("beside-title").textContent = runName(run);
      this.spacetime ||= new SpaceTime(byId("beside"), this.view());
      this.spacetime.show();
    } else this.hide();
    this.app.redraw();
  }

  // A run to look at: to do something with it is to make it the current one.
  view() {
    const { app } = this;
    return {
      game: null, lit: null, get index() { return app.beside.index; }, get time() { return app.time; },
      setTime: (time) => app.setTime(time), nodeOfBase: () => null,
      select: () => app.setRun(REPORT.runs.indexOf(app.beside.run)),
    };
  }

  render(time) {
    if (this.run) this.spacetime.reveal(time);
  }
}

// A run by its faults.
const runName = (run) => briefFaults(run.faults).join("; ") || (run === REPORT.runs[0] ? "failure-free" : run.label);
