import Mustache

/// The two pages, with the same contents.
enum Pages {
    static let markdown = """
        # Benchmarks

        {{#isQuick}}**Made with `--quick`: shows that it works, proves nothing.**

        {{/isQuick}}{{summary}}. Times hold for the machine below; ratios within one run, and frames, travel.
        *undecided*: the difference to the target is within the machine's noise, or of too few repetitions.

        ## Machine and noise

        | benchmark | day | machine | largest cache | priority | the same work against itself | late wake-up, p99, ms | in real time | longest stop, ms | stopped |
        |---|---|---|--:|---|--:|--:|--:|--:|--:|
        {{#machines}}
        | {{benchmark}} | {{date}} | {{machine}} | {{cache}} | {{priority}} | {{ratio}} | {{wakeUp}} | {{realTimeWakeUp}} | {{stop}} | {{stopped}} |
        {{/machines}}

        ## What was promised, and what was reached

        | benchmark | what | unit | target | aim | reached | |
        |---|---|---|--:|--:|--:|---|
        {{#targets}}
        | {{benchmark}} | {{what}} | {{unit}} | {{wanted}} | {{aim}} | {{reached}} | {{words}} |
        {{/targets}}
        {{#benchmarks}}

        ## {{benchmark}}
        {{#figures}}

        ![{{caption}}]({{file}})

        *{{caption}}*
        {{/figures}}
        {{#tables}}

        ### {{title}}

        {{note}}

        |{{#columns}} {{title}} |{{/columns}}
        |{{rule}}|
        {{#rows}}
        |{{#cells}} {{text}} |{{/cells}}
        {{/rows}}
        {{/tables}}
        {{/benchmarks}}

        """

    static let html = """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>swift-audio-session: benchmarks</title>
        <style>
        body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 80rem; padding: 0 1rem; color: #1b1f24; background: #fff }
        h1, h2, h3 { line-height: 1.2; margin: 2rem 0 .5rem }
        .wide { overflow-x: auto }
        table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums }
        th, td { padding: .2rem .6rem; border-bottom: 1px solid #d8dee4; vertical-align: top }
        th { background: #f3f5f7; position: sticky; top: 0; text-align: left }
        th.number { text-align: right }
        .number { text-align: right; white-space: nowrap } .text { text-align: left }
        .met { color: #1a7f37 } .missed { color: #b3261e; font-weight: 600 } .undecided { color: #7a5d00 }
        figure { margin: 1rem 0 } figure img { max-width: 100%; border: 1px solid #d8dee4 }
        figcaption, .note { color: #57606a }
        .warning { background: #fff4d6; padding: .5rem 1rem; border-left: 4px solid #c69214 }
        </style>
        </head>
        <body>
        <h1>Benchmarks of swift-audio-session</h1>
        {{#isQuick}}<p class="warning">Made with <code>--quick</code>: shows that it works, proves nothing.</p>{{/isQuick}}
        <p>{{summary}}. Times hold for the machine below; ratios within one run, and frames, travel.
        <em>Undecided</em>: the difference to the target is within the machine's noise, or of too few repetitions.</p>
        <nav>{{#benchmarks}}<a href="#{{benchmark}}">{{benchmark}}</a> · {{/benchmarks}}<a href="#results">every result</a></nav>
        <h2>Machine and noise</h2>
        <div class="wide"><table>
        <tr><th>benchmark</th><th>day</th><th>machine</th><th>largest cache</th><th>priority</th><th>the same work against itself</th>\
        <th>late wake-up, p99, ms</th><th>in real time</th><th>longest stop, ms</th><th>stopped</th></tr>
        {{#machines}}
        <tr><td>{{benchmark}}</td><td>{{date}}</td><td>{{machine}}</td><td class="number">{{cache}}</td><td>{{priority}}</td>\
        <td class="number">{{ratio}}</td><td class="number">{{wakeUp}}</td><td class="number">{{realTimeWakeUp}}</td>\
        <td class="number">{{stop}}</td><td class="number">{{stopped}}</td></tr>
        {{/machines}}
        </table></div>
        <h2>What was promised, and what was reached</h2>
        <div class="wide"><table>
        <tr><th>benchmark</th><th>what</th><th>unit</th><th class="number">target</th><th class="number">aim</th><th class="number">reached</th><th></th></tr>
        {{#targets}}
        <tr><td>{{benchmark}}</td><td>{{what}}</td><td>{{unit}}</td><td class="number">{{wanted}}</td><td class="number">{{aim}}</td>\
        <td class="number">{{reached}}</td><td class="{{verdict}}">{{words}}</td></tr>
        {{/targets}}
        </table></div>
        {{#benchmarks}}
        <h2 id="{{benchmark}}">{{benchmark}}</h2>
        {{#figures}}
        <figure><img src="{{picture}}" alt="{{caption}}"><figcaption>{{caption}}</figcaption></figure>
        {{/figures}}
        {{#tables}}
        <h3>{{title}}</h3>
        <p class="note">{{note}}</p>
        <div class="wide"><table>
        <tr>{{#columns}}<th class="{{side}}">{{title}}</th>{{/columns}}</tr>
        {{#rows}}
        <tr>{{#cells}}<td class="{{side}}">{{text}}</td>{{/cells}}</tr>
        {{/rows}}
        </table></div>
        {{/tables}}
        {{/benchmarks}}
        <h2 id="results">Every result</h2>
        <details><summary>All results of the JSON Lines files</summary>
        <div class="wide"><table>
        <tr><th>metric</th><th>subject</th><th>unit</th><th>median</th><th>its interval, 95 %</th><th>p99</th><th>min</th><th>max</th><th>n</th><th>conditions</th></tr>
        {{#metrics}}
        <tr><td>{{metric}}</td><td>{{subject}}</td><td>{{unit}}</td><td class="number">{{median}}</td><td class="number">{{low}} … {{high}}</td>\
        <td class="number">{{p99}}</td><td class="number">{{min}}</td><td class="number">{{max}}</td><td class="number">{{n}}</td><td>{{conditions}}</td></tr>
        {{/metrics}}
        </table></div></details>
        </body>
        </html>

        """
}
