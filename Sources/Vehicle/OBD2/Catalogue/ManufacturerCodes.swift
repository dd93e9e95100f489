// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The world manufacturer identifiers (ISO 3780): the first three characters of a VIN, by the make of the vehicle.
///
/// Each line has a make and its identifiers. A manufacturer that builds several makes has the same identifier in the
/// lines of all of them.
enum ManufacturerCodes {
    private static let table = """
        Abarth: ZFA JC1
        Acura: 19U 19V 2HH 2HN 5FR 5J8 JH4 JAE
        Alfa Romeo: ZAR ZAS
        Alpine: VFA
        Aprilia: ZD4
        Aston Martin: SCF SD7
        Audi: WAU WA1 WUA WU1 TRU 93U 93V 99A LFV XW8
        Bentley: SCB SJA
        BMW: WBA WBS WBX WBY WB1 WB5 4US 5UX 5UM 5YM 3MW 3MF LBV 98M 99Z X4X MMF
        Bugatti: VF9
        Buick: 1G4 2G4 3G4 3G5 5GA W04 KL4 LRB LSG
        BYD: LGX LC0 LPE
        Cadillac: 1G6 1GE 1GY 2G6 2GE 3GY W06 LRE LSG
        Changan: LS4 LS5 LS6
        Chery: LVV LVT LVU LUR LNN 98R 9UJ
        Chevrolet: 1G1 1GA 1GB 1GC 1GN 1Y1 2CN 2G1 2GC 2GN 3G1 3GC 3GN 3GB 4G1 6G1 6G3 8AG 8GG 8LD 8Z1 9BG 9GA \
        KL1 KL7 KL8 KLA LSG LZW MA6 MMM X9L XUF XUU Y6D
        Chrysler: 1A4 1A8 1C3 1C4 1C8 2A4 2A8 2C3 2C4 2C8 3A4 3A8 3C3 3C4 3C8 4C3
        Citroën: VF7 VR7 VS7 8BC 935 LDC Z8T
        Cupra: VSS
        Dacia: UU1
        Daewoo: KLA KLY SUP UU6
        DAF: XLR
        Daihatsu: JDA JD1 JD2
        Dodge: 1B3 1B4 1B7 1C3 1C4 1D3 1D4 1D7 1D8 2B3 2B4 2B5 2B6 2B7 2B8 2C3 2C4 2D3 2D4 2D7 2D8 3B3 3B4 3B6 3B7 3C4 \
        3D3 3D4 3D6 3D7 4B3 JB3 JB7 WD0 WD2 WD5
        Dongfeng: LGH LGJ LDP
        DS: VF7 VR1 LPA
        Ducati: ZDM
        FAW: LFP
        Ferrari: ZFF ZDF
        Fiat: ZFA ZFB ZFC 3C3 8AP 93W 988 9BD JC1 LWV MCA NM4 SUF VXF VYF
        Fisker: VCF YH4
        Ford: 1F1 1F6 1FA 1FB 1FC 1FD 1FM 1FT 1ZV 2FA 2FD 2FM 2FT 3FA 3FC 3FD 3FE 3FM 3FT 6FP 8AF 9BF 9FJ AFA KNJ LJX LVR \
        LVS MAJ MNA MNB MNC MPB NM0 PE1 PR8 RL0 SFA VS6 WF0 X9F XLC Z6F
        Freightliner: 1FU 1FV 2FU 2FV 3AK 3AL 4UZ
        GAC: LMG
        Geely: LB3 L6T
        Genesis: KMH KMT KMU 5NM
        GMC: 1GD 1GJ 1GK 1GT 2CT 2GK 2GT 3GD 3GK 3GT
        Great Wall: LGW
        Harley-Davidson: 1HD 5HD 932
        Haval: LGW XZG
        Holden: 6G1 6H8 KL3 MPA W0L
        Honda: 19X 1HG 1HF 2HG 2HJ 2HK 3CZ 3HG 478 4S6 5FN 5FP 5J6 5KB 7FA 8C3 93H 9C2 JH2 JHL JHM LHG LUC LVH MA7 MAK \
        MHR MLH MRH NLA PMH RLH SHH SHS VTM ZDC
        Hummer: 5GN 5GR 5GT
        Hyundai: KMH KM8 KMF KMJ 2HM 5NM 5NP 5NT 5XY 7YA 95P 9BH LBE MAL MF3 NLH NLJ RLU TMA X7M Z94
        Infiniti: JN1 JN8 JNK JNR JNX 3PC 5N3 SJK
        International: 1HS 1HT 2HS 3HA 3HC 3HS
        Isuzu: JAA JAB JAC JAL 1GG 4NU 4S1 4S2 LZE MP1 MPA
        Iveco: ZCF WJM VS1 VNE 8AT 93Z
        JAC: LJ1
        Jaguar: SAD SAJ 99J L2C
        Jeep: 1C4 1J4 1J7 1J8 3C4 988 LWV MCA ZAC
        Kawasaki: JKA JKB
        Kenworth: 1NK 1XK 2NK 3BK 3WK 6F5
        Kia: KNA KNC KND KNE KNH 3KP 5XX 5XY 9UW LJD MS0 MZB U5Y U6Y XWE
        KTM: VBK
        Lada: XTA
        Lamborghini: ZHW ZPB
        Lancia: ZLA VYC
        Land Rover: SAL 99J L2C
        LDV: SEY
        Lexus: JT6 JT8 JTH JTJ 2T2 58A 5TD
        Lifan: LLV 9UK
        Lincoln: 1L1 1LN 2L1 2LM 2LN 2LJ 3LN 5L1 5LD 5LM 5LT LVS
        Lotus: SCC
        Lucid: 50E
        Mack: 1M1 1M2
        Mahindra: MA1
        MAN: WMA 6AB LZM
        Maruti: MA3 MBH
        Maserati: ZAM ZN6
        Maxus: LSH LSK
        Mazda: JM0 JM1 JM3 JM6 JM7 JMZ 1YV 3MD 3MV 3MZ 4F2 4F4 7MM LFP LVR MM0 MM6 MM7 MM8 PE3 RUM YCM
        McLaren: SBM
        Mercedes-Benz: W1K W1N W1V W1W W1X W1Y W1Z WD3 WD4 WD8 WDA WDB WDC WDD WDF WDP WDR WDY WDZ WMX 4JG 55S 8AB 8AC 8BR \
        8BT 9BM ADB LB1 LE4 MBR MHL NMB RLM VSA Z9M
        Mercury: 1ME 1MR 1ZW 2ME 2MR 3ME 4M2
        MG: LSJ MZ7 SAR SDP
        MINI: WMW WMZ
        Mitsubishi: JA3 JA4 JA7 JE3 JE4 JMA JMB JMY 4A3 4A4 6MM 93X LDN MK2 ML3 MMA MMB MMC MMD MMT XMC Z8T
        Mitsubishi Fuso: TYB
        NIO: LJ1
        Nissan: JN1 JN3 JN6 JN8 1N4 1N6 3N1 3N6 3N8 3NC 4N2 5BZ 5N1 6F4 94D 8AN ADN KNM LGB LJN MBH MDH MHB MNT PN8 SJN VNV \
        VSK VWA Z8N
        Oldsmobile: 1G3 1GH 2G3
        Omoda: LNN LVT LVV
        Opel: W0L W0V VN1 VSX VXE VXK XUF XWF Y6D
        Perodua: PM2
        Peterbilt: 1NP 1XP 2NP 3BP
        Peugeot: VF3 VR3 VS3 8AD 8GD 936 LDC NAA SDB Z8T
        Plymouth: 1P3 1P4 1P7 2P3 2P4 2P5 3P3
        Polestar: LPS YSM
        Pontiac: 1G2 1GM 2CK 2G2 3G2 3G7 5Y2 6G2 KL2
        Porsche: WP0 WP1
        Proton: PL1
        Ram: 1C6 2C4 3C6 3C7 3D6 3D7 ZFB
        Renault: VF1 VF2 VF8 VFB VS5 VSY 8A1 93Y 9FB KNM L56 MEE NM1 X7L
        Renault Trucks: VF6 VG6
        Rivian: 7FC 7PD
        Rolls-Royce: SCA SLA
        Rover: SAR SAX
        Saab: YS3 YK1 YTN 3G0 5S3 JF4
        Saturn: 1G8 3GS 5GZ W08
        Scania: YS2 YS4 XLE VLU 9BS
        Scion: JTK JTL JTN JF1 3MY
        Seat: VSS
        Škoda: TMB LSV MEX XW8 Y6U
        smart: WME W1A HES TCC
        SsangYong: KPA KPB KPT
        Subaru: JF1 JF2 4S3 4S4 1F2
        Suzuki: JS1 JS2 JS3 JS4 JSA 2S2 2S3 5Z6 8AK KL5 LS5 MA3 MBH MHY MMS TSM VSE
        Tata: MAT
        Tesla: 5YJ 7SA 7G2 LRW SFZ XP7
        Toyota: JT1 JT2 JT3 JT4 JT5 JTA JTB JTD JTE JTF JTG JTK JTL JTM JTN 1NX 2T1 2T3 3MY 3TM 3TY 4T1 4T3 4T4 4TA 5TB 5TD \
        5TE 5TF 5YF 6T1 7MU 7SV 8AJ 8XA 93R 9BR 9FH AHT JF1 LFM LTV LVG MBJ MHF MR0 MR1 MR2 NMT PA1 PN1 PN2 RL4 SB1 TW1 VNK \
        XW7 YAR
        Triumph: SMT
        Vauxhall: W0L W0V SED SKF VXE VXK
        VinFast: RLL
        Volkswagen: WVW WVG WV1 WV2 WV3 1V1 1V2 1VW 2V4 2V8 3VV 3VW 8AW 9BW 953 AAV LFV LSV MEX VWV WVZ XW8
        Volvo: YV1 YV4 7JD 7JR LVY LYV PNV XLB
        Volvo Trucks: YV2 4V1 4V2 4V4 4V5 9BV
        Voyah: LDP
        Western Star: 2WK 2WL 2WM 5KJ 5KK
        Wuling: LZW
        XPeng: L1N
        Yamaha: JYA 9C6
        """

    /// The table's lines.
    static var lines: [(make: String, identifiers: [Substring])] {
        self.table.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: ":")
            return parts.count == 2 ? (String(parts[0]), parts[1].split(separator: " ")) : nil
        }
    }
}
