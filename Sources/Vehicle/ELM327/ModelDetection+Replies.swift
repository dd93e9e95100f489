// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import OBD2

extension ModelDetection.Answer {
    /// Takes the answers of several ECUs as one: a positive one counts before all others.
    ///
    /// - Parameter silence: the answer if no ECU answered.
    package init(_ replies: some Sequence<ECUReply>, silence: Self = .silent) {
        self = silence
        for reply in replies {
            switch reply {
            case .positive:
                self = .positive
                return
            case .negative(let code): self = Self(negative: code)
            }
        }
    }

    /// Takes the outcome of a request; only that of one that reached the vehicle's bus tells something.
    package init(_ outcome: BusOutcome) {
        switch outcome {
        case .answered(let answers): self.init(answers.values)
        case .noData: self = .silent
        case .busUnavailable, .unusable, .refused, .withdrawn, .settingsNotRestored, .adapterRestarted, .adapterSilent:
            self = .undetermined
        }
    }
}
